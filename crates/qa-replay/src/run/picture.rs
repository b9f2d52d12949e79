//! Pictures of the screen, with what is known of the texts in them.

use qa_core::{Bounds, Driver, DriverError, Observation, Picture, Projection};

/// Takes a picture between two looks. Where they differ, the page moved: then secrets are not where
/// a view says (RED-077).
pub(super) async fn take(
    driver: &mut dyn Driver,
    is_restless: bool,
) -> Result<Picture, DriverError> {
    let request = driver.info().nodes.judging();
    let before = driver.observe(request).await?;
    let image = driver.screenshot().await?;
    let after = driver.observe(request).await?;
    let places = |view: &Observation| -> Vec<Option<Bounds>> {
        view.nodes.iter().map(|node| node.bounds).collect()
    };
    let is_moving = !after.animating.is_empty()
        || Projection::of(&before) != Projection::of(&after)
        || places(&before) != places(&after);
    Ok(Picture::new(image, &after, is_restless || is_moving))
}
