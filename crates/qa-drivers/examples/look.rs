//! Opens a page, prints what is on it, and times the pieces: `look URL [real]`.
use qa_core::{Clock, CrashWatch as _, Driver as _, ObserveRequest};
use qa_drivers::cdp::{CdpDriver, CdpOptions};
use std::time::{Duration, Instant};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("look URL")?;
    let mut options = CdpOptions::new(url);
    if std::env::args().nth(2).is_some() {
        options.clock = Clock::Real;
    }
    let t = Instant::now();
    let (mut driver, mut watch) = CdpDriver::open(options).await?;
    println!("open {:?} {:?}", t.elapsed(), driver.info());
    watch.start().await?;
    let t = Instant::now();
    println!("launch {:?} {:?}", driver.launch().await?, t.elapsed());
    for i in 0..3 {
        let t = Instant::now();
        let view = driver
            .observe(ObserveRequest {
                max_nodes: 5000,
                thorough: i == 2,
            })
            .await?;
        println!("observe {} nodes {:?}", view.nodes.len(), t.elapsed());
        if i == 2 {
            println!("{:?} {:?} {:?}", view.url, view.front, view.completeness);
            for n in view.nodes.iter().take(400) {
                println!(
                    "{} {} {:?} {:?} {:?} {:?}",
                    n.node_ref,
                    n.role,
                    n.name,
                    n.value,
                    n.flags.actionable,
                    n.bounds.map(|b| (b.x, b.y, b.width, b.height))
                );
            }
        }
        let t = Instant::now();
        println!(
            "advance {:?} {:?}",
            driver.advance(Duration::from_millis(250)).await?,
            t.elapsed()
        );
    }
    let t = Instant::now();
    println!(
        "screenshot {:?} {:?}",
        driver.screenshot().await?,
        t.elapsed()
    );
    let t = Instant::now();
    for crash in watch.query().await? {
        println!("{crash:?}");
    }
    println!("query {:?}", t.elapsed());
    let t = Instant::now();
    driver.stop().await?;
    println!("stop {:?}", t.elapsed());
    Ok(())
}
