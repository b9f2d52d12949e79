//! Browsers over the Chrome DevTools Protocol.
//!
//! ```text
//! discovery → process → transport ──events──▶ tab ◀──state── clock · observe · input · watch
//!                           ▲                                        │
//!                           └───────────────commands─────────────────┘
//! ```

mod blocked;
mod browser;
mod capture;
mod clock;
mod discovery;
mod evidence;
mod fault;
mod field;
mod frame;
mod input;
mod key;
mod login;
mod login_state;
mod network;
mod observe;
mod original;
mod page;
mod parse;
mod process;
mod question;
mod search;
mod setup;
mod source_map;
mod tab;
mod transport;
mod walker;
mod watch;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use qa_core::{
    Action, Advanced, Back, Capability, Clock, Driver, DriverError, DriverInfo, Image, NodeBudget,
    Notice, Observation, ObserveRequest, Platform, Receipt, ReceiptStatus,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use browser::Browser;
use observe::Eye;
use page::{DEADLINE, Page};
use tab::Tab;
use transport::CallError;

pub use browser::{BrowserChoice, OpenError};
pub use capture::{CaptureError, CapturedLogin};
pub use discovery::{BrowserNotFound, find_browser};
pub use login_state::{LoginState, LoginStateError};
pub use observe::origin_of;
pub use process::StartError;
pub use setup::{PERMISSIONS, VIEWPORT};
pub use watch::CdpWatch;

/// Number of this driver's contract (WEB-005).
pub const CONTRACT: u32 = 9;

/// What a person may decide about a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CdpOptions {
    /// Which browser.
    pub browser: BrowserChoice,
    /// Where the app begins.
    pub url: String,
    /// Origins beside the start URL's that belong to the app.
    pub allow_origins: Vec<String>,
    /// Which clock the page runs on.
    pub clock: Clock,
    /// `confirm` and `prompt` are accepted instead of dismissed, unless what they say is on the
    /// blocklist.
    pub accept_dialogs: bool,
    /// Words that mark what is dangerous, beside those that every [`Blocklist`](qa_core::Blocklist)
    /// knows.
    pub blocklist: Vec<String>,
    /// Permissions that the app gets when it asks, of [`PERMISSIONS`]; all others are denied.
    pub grant: Vec<String>,
    /// Files that a chooser gets; without any it is cancelled.
    pub upload: Vec<PathBuf>,
    /// Cookies and storage stay from one launch to the next.
    pub keep_storage: bool,
    /// Requests to other origins are blocked and counted by host, those of workers and web sockets
    /// too.
    pub block_origins: bool,
    /// What each new browser context is given before the app comes (WEB-006).
    pub login_state: Option<LoginState>,
    /// How much of a page is read where a verdict rests on it.
    pub nodes: NodeBudget,
}

impl CdpOptions {
    /// The defaults for a start URL: a browser of our own, headless, on the virtual clock.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        let url = url.into();
        Self {
            browser: BrowserChoice::default(),
            // As the browser will show it.
            url: url::Url::parse(&url).map_or(url, String::from),
            allow_origins: Vec::new(),
            clock: Clock::Virtual,
            accept_dialogs: false,
            blocklist: Vec::new(),
            grant: Vec::new(),
            upload: Vec::new(),
            keep_storage: false,
            block_origins: false,
            login_state: None,
            nodes: NodeBudget::default(),
        }
    }

    /// The origins of the app: the start URL's first.
    #[must_use]
    pub fn origins(&self) -> Vec<String> {
        let mut origins: Vec<String> = origin_of(&self.url).into_iter().collect();
        origins.extend(
            self.allow_origins
                .iter()
                .filter_map(|origin| origin_of(origin)),
        );
        origins
    }
}

/// A browser in which one app is driven after the other, each in a context of its own.
pub struct CdpBrowser {
    browser: Arc<Browser>,
    tab: Tab,
}

impl CdpBrowser {
    /// Starts or reaches the browser that the options name.
    pub async fn open(options: &CdpOptions) -> Result<Self, OpenError> {
        let tab = Tab::new(options);
        let browser = Browser::open(&options.browser, tab.clone()).await?;
        Ok(Self {
            browser: Arc::new(browser),
            tab,
        })
    }

    /// Whether it still answers, as far as is known.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.tab.state().lost.is_none()
    }

    /// Closes a browser that we started; leaves another as it was.
    pub async fn close(&self) -> Result<(), String> {
        self.browser.close().await
    }

    /// A driver for the next app; the one before must have been stopped, which leaves the browser
    /// as it is.
    #[must_use]
    pub fn drive(&self, options: CdpOptions) -> (CdpDriver, CdpWatch) {
        let Self { browser, tab } = self;
        tab.renew(&options);
        let poll_interval = match options.clock {
            Clock::Virtual => Duration::from_millis(300),
            Clock::Real => Duration::from_millis(50),
        };
        let mut remarks = browser.remarks.clone();
        remarks.extend(options.login_state.as_ref().map(|login| {
            let origins = options.origins().join("/ and ");
            format!("a login is given for {origins}/ ({})", login.summary())
        }));
        let info = DriverInfo {
            platform: Platform::Web,
            contract: CONTRACT,
            device: browser.product.clone(),
            target: options.url.clone(),
            capabilities: CdpDriver::capabilities(),
            back: Back::Action,
            clock: options.clock,
            poll_interval,
            nodes: options.nodes,
            remarks,
        };
        let watch = CdpWatch::new(browser.connection.clone(), tab.clone());
        let granted = options.grant.clone();
        let driver = CdpDriver {
            options,
            info,
            browser: Arc::clone(browser),
            ends_browser: false,
            tab: tab.clone(),
            eye: Eye::default(),
            granted,
        };
        (driver, watch)
    }
}

/// Drives one page of a browser.
pub struct CdpDriver {
    options: CdpOptions,
    info: DriverInfo,
    browser: Arc<Browser>,
    ends_browser: bool,
    tab: Tab,
    eye: Eye,
    granted: Vec<String>,
}

impl CdpDriver {
    /// Starts or reaches a browser for one app alone: it ends when the driver is stopped. No page is
    /// opened yet; the watch sees what the driver's page does.
    pub async fn open(options: CdpOptions) -> Result<(Self, CdpWatch), OpenError> {
        let browser = CdpBrowser::open(&options).await?;
        let (mut driver, watch) = browser.drive(options);
        driver.ends_browser = true;
        Ok((driver, watch))
    }

    /// What the driver can do in any browser; known before one is there.
    #[must_use]
    pub fn capabilities() -> BTreeSet<Capability> {
        BTreeSet::from([
            Capability::Tap,
            Capability::Focus,
            Capability::Hover,
            Capability::Fill,
            Capability::Type,
            Capability::Select,
            Capability::Press,
            Capability::Scroll,
            Capability::ScrollTo,
            Capability::Navigate,
            Capability::Screenshot,
            Capability::LastingRefs,
            Capability::ThoroughLook,
        ])
    }

    /// The page as it is now, or why there is none.
    fn page(&self) -> Result<Page<'_>, DriverError> {
        let session = self
            .tab
            .state()
            .page
            .as_ref()
            .map(|ids| ids.session.clone());
        let page = Page {
            connection: &self.browser.connection,
            tab: &self.tab,
            session: session.clone().unwrap_or_default(),
            product: &self.browser.product,
        };
        let lost = {
            let state = self.tab.state();
            state.lost.is_some() || state.gone.is_some() || session.is_none()
        };
        if lost { Err(page.gone()) } else { Ok(page) }
    }

    fn begin_action(&self) -> u64 {
        let mut state = self.tab.state();
        state.ordinal += 1;
        state.faults.begin_action();
        state.ordinal
    }

    /// Ends the process of a page that hangs: it would keep its context, and use up a core.
    async fn end_hung_page(&self) {
        let page = {
            let state = self.tab.state();
            state.page.clone().filter(|_| state.hung_after.is_some())
        };
        let Some(page) = page else { return };
        let session = Some(page.session.as_str());
        let connection = &self.browser.connection;
        let params = json!({"expression": "0", "returnByValue": true});
        let answer = connection
            .call::<Value>(session, "Runtime.evaluate", &params, Duration::from_secs(1))
            .await;
        if let Err(CallError::Deadline(_)) = answer {
            // What becomes of it now is our doing.
            self.tab.state().closing.insert(page.session.clone());
            drop(connection.send(session, "Page.crash", &json!({})));
        }
    }

    /// Opens a page of our own in a context, still empty. Says its session, and whether the context
    /// is new.
    async fn new_page(&self) -> Result<(String, bool), CallError> {
        self.end_hung_page().await;
        let connection = &self.browser.connection;
        let old = self.tab.state().context.clone();
        let reach = self.options.block_origins.then(|| self.options.origins());
        let new_context = old.is_none() || !self.options.keep_storage;
        let context = match (old, self.options.keep_storage) {
            (Some(context), true) => {
                let page = self.tab.state().page.clone();
                self.tab.state().reset(context.clone());
                if let Some(page) = page {
                    let params = json!({"targetId": page.target});
                    drop(connection.send(None, "Target.closeTarget", &params));
                }
                context
            }
            (old, _) => {
                if let Some(old) = old {
                    // A context that will not go now goes with the browser.
                    let _ = self.browser.dispose(&old).await;
                }
                let context = self
                    .browser
                    .new_context(&self.granted, reach.as_deref())
                    .await?;
                self.tab.state().reset(context.clone());
                context
            }
        };
        let params = json!({"url": "about:blank", "browserContextId": context});
        let _: Value = connection
            .call(None, "Target.createTarget", &params, setup::SETUP_DEADLINE)
            .await?;
        let ids = self
            .tab
            .wait_for(setup::SETUP_DEADLINE, |state| state.page.clone())
            .await
            .ok_or(CallError::Deadline(setup::SETUP_DEADLINE))?;
        // The target of a page and its main frame bear the same name.
        self.tab.state().frames.set_main(&ids.target, &ids.session);
        let on_new_document = (self.options.clock == Clock::Virtual).then_some(clock::FRAME_TIME);
        setup::page_session(
            connection,
            &ids.session,
            self.options.block_origins,
            on_new_document,
        )
        .await?;
        Ok((ids.session, new_context))
    }

    /// Goes to the start URL; the answer says why not.
    async fn go_to_start(&self, session: &str) -> Result<Option<String>, CallError> {
        const NAVIGATION: Duration = Duration::from_secs(30);
        let params = json!({"url": self.options.url});
        let answer: Value = self
            .browser
            .connection
            .call(Some(session), "Page.navigate", &params, NAVIGATION)
            .await?;
        Ok(answer["errorText"].as_str().map(str::to_owned))
    }

    /// Waits until the start page has loaded and drawn its first frame, or long enough.
    async fn wait_for_start(&self) -> Result<(), DriverError> {
        const LOAD: Duration = Duration::from_secs(10);
        let until = Instant::now() + LOAD;
        loop {
            let step = match self.options.clock {
                Clock::Real => LOAD,
                // A page whose time stands still does not finish loading.
                Clock::Virtual => {
                    clock::draw_frame(&self.page()?).await?;
                    Duration::from_millis(5)
                }
            };
            let over = |state: &tab::TabState| (state.loaded || state.gone.is_some()).then_some(());
            if self.tab.wait_for(step, over).await.is_some() || Instant::now() >= until {
                return Ok(());
            }
        }
    }
}

#[async_trait]
impl Driver for CdpDriver {
    fn info(&self) -> &DriverInfo {
        &self.info
    }

    async fn launch(&mut self) -> Result<Receipt, DriverError> {
        let lost = |error: CallError, device: &str| DriverError::Lost {
            device: device.to_owned(),
            reason: format!("a new page: {error}"),
        };
        let opened = self.new_page().await;
        if opened.is_err() {
            // A context that is only half set up is not used again; it goes with the browser.
            self.tab.state().context = None;
        }
        // What the old page did on its way out belongs to the step before.
        let ordinal = self.begin_action();
        let (session, new_context) = opened.map_err(|error| lost(error, &self.browser.product))?;
        if let Some(state) = &self.options.login_state {
            let start = origin_of(&self.options.url);
            let done = login::bring_in(&self.page()?, state, new_context, start.as_deref()).await;
            if let Err(error) = done {
                // The next launch must not take a context for one that is logged in.
                let context = self.tab.state().context.take();
                if let Some(context) = context {
                    let _ = self.browser.dispose(&context).await;
                }
                return Err(error);
            }
        }
        if self.options.clock == Clock::Virtual {
            clock::take_lead(&self.page()?).await?;
        }
        match self.go_to_start(&session).await {
            Ok(None) => {}
            Ok(Some(text)) => {
                let reason = format!("{} did not open: {text}", self.options.url);
                let status = ReceiptStatus::Failed;
                return Ok(Receipt::not_ok(status, ordinal, "LAUNCH_FAILED", reason));
            }
            Err(error) => return Err(self.page()?.error("opening the start page", error).await),
        }
        self.wait_for_start().await?;
        Ok(Receipt::ok(ordinal))
    }

    async fn observe(&mut self, request: ObserveRequest) -> Result<Observation, DriverError> {
        let mut eye = std::mem::take(&mut self.eye);
        let view = match self.page() {
            Ok(page) => observe::observe(&page, &mut eye, request).await,
            Err(error) => Err(error),
        };
        self.eye = eye;
        view
    }

    async fn act(&mut self, action: &Action) -> Result<Receipt, DriverError> {
        let ordinal = self.begin_action();
        let page = self.page()?;
        Ok(input::act(&page, action, ordinal).await)
    }

    async fn screenshot(&mut self) -> Result<Image, DriverError> {
        #[derive(Deserialize)]
        struct Picture {
            data: String,
        }
        let page = self.page()?;
        // A document that has never drawn gives no picture.
        let owed = self.tab.state().frame_owed;
        if owed && self.options.clock == Clock::Virtual {
            clock::draw_frame(&page).await?;
        }
        let params = json!({"format": "png", "optimizeForSpeed": true});
        let picture: Picture = match page.call("Page.captureScreenshot", &params, DEADLINE).await {
            Ok(picture) => picture,
            Err(error) => return Err(page.error("a screenshot", error).await),
        };
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(picture.data)
            .map_err(|error| DriverError::Protocol {
                what: "a screenshot".into(),
                reason: error.to_string(),
            })?;
        Ok(Image {
            extension: "png",
            bytes,
        })
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        let mut state = self.tab.state();
        let mut notices = std::mem::take(&mut state.notices);
        notices.extend(state.blocked.take());
        notices
    }

    fn now(&self) -> Duration {
        match self.options.clock {
            Clock::Virtual => self.tab.state().app_time,
            Clock::Real => self.elapsed(),
        }
    }

    fn elapsed(&self) -> Duration {
        self.tab.state().real_elapsed()
    }

    async fn advance(&mut self, span: Duration) -> Result<Advanced, DriverError> {
        clock::advance(&self.page()?, self.options.clock, span).await
    }

    async fn stop(&mut self) -> Result<(), DriverError> {
        self.end_hung_page().await;
        let context = self.tab.state().context.take();
        if let Some(context) = context {
            // A context that will not go now goes with the browser.
            let _ = self.browser.dispose(&context).await;
        }
        if !self.ends_browser {
            return Ok(());
        }
        self.browser
            .close()
            .await
            .map_err(|reason| DriverError::Protocol {
                what: "closing the browser".into(),
                reason,
            })
    }
}
