//! The one page of a session, as the protocol's events tell of it.
//!
//! Events are handled in the order of the wire and before any later answer is delivered, so what
//! this state says is never older than an answer.

mod event;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use qa_core::{Blocklist, Clock, CrashKind, Exchange, Notice};
use qa_crash::BrowserFault;
use tokio::sync::Notify;

use super::CdpOptions;
use super::blocked::Blocked;
use super::browser::BrowserChoice;
use super::clock::HANG;
use super::evidence::EvidenceLog;
use super::fault::FaultLog;
use super::frame::Frames;
use super::network::{Requests, Scripts, has_origin};
use super::observe::origin_of;

/// The state of the page, shared by the driver, the watch and the reader of events.
#[derive(Clone)]
pub(crate) struct Tab {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<TabState>,
    changed: Notify,
    /// The watch collects evidence.
    watching: AtomicBool,
}

/// What is known of the page.
pub(crate) struct TabState {
    /// Origins that belong to the app.
    pub(crate) origins: Vec<String>,
    /// `confirm` and `prompt` are accepted.
    pub(crate) accept_dialogs: bool,
    /// What is never agreed to.
    pub(crate) blocklist: Blocklist,
    /// Files to give to a chooser; none cancels it.
    pub(crate) upload: Vec<String>,
    /// Requests to other origins are blocked.
    pub(crate) block_origins: bool,
    /// What was blocked and not told yet.
    pub(crate) blocked: Blocked,
    /// Every request is answered with an empty page, by ourselves.
    pub(crate) answer_empty: bool,
    /// Our browser context.
    pub(crate) context: Option<String>,
    /// Session and target of the page.
    pub(crate) page: Option<PageIds>,
    /// Why the page is no more.
    pub(crate) gone: Option<String>,
    /// Why the browser is no more.
    pub(crate) lost: Option<String>,
    /// Frames and the isolated worlds in them.
    pub(crate) frames: Frames,
    /// Sessions of workers, with what they are called in reports.
    workers: HashMap<String, String>,
    /// Sessions of windows that are being closed: what fails in them is our doing.
    pub(crate) closing: HashSet<String>,
    /// Requests on their way.
    pub(crate) requests: Requests,
    /// Scripts that came over the network.
    pub(crate) scripts: Scripts,
    /// Faults that nobody has asked for yet.
    pub(crate) faults: FaultLog,
    /// What it logged and asked for that nobody has asked for yet.
    pub(crate) evidence: EvidenceLog,
    /// Origins of the app that have answered.
    answered: HashSet<String>,
    /// One of them that does not any more, and how that shows.
    pub(crate) silent: Option<(String, String)>,
    /// What happened beside the view.
    pub(crate) notices: Vec<Notice>,
    /// Actions begun so far, launches included.
    pub(crate) ordinal: u64,
    /// Budgets of virtual time that ran out so far.
    pub(crate) budgets_expired: u64,
    /// A new document has not drawn a frame yet.
    pub(crate) frame_owed: bool,
    /// Documents that the main frame has had since the launch.
    pub(crate) documents: u32,
    /// The present document was seen to draw no frames: it is waited for shortly.
    pub(crate) frameless: bool,
    /// When a frame was last seen to be drawn.
    pub(crate) last_frame: tokio::time::Instant,
    /// The browser's own count of open requests is right in each document.
    pub(crate) browser_counts: bool,
    /// The main document has fired its load event.
    pub(crate) loaded: bool,
    /// Why the page must run on the real clock.
    pub(crate) real_time: Option<String>,
    /// Pages run on the virtual clock.
    pub(crate) virtual_clock: bool,
    /// App time, as far as the clock has told.
    pub(crate) app_time: Duration,
    /// Nodes that could be seen in the last judged view.
    pub(crate) visible_before: usize,
    /// The last action after which the page was found to hang.
    pub(crate) hung_after: Option<u64>,
    /// Images that the network already reported as broken, in this document.
    broken_images: u64,
    /// Broken images that views have shown, in this document.
    pub(crate) broken_seen: u64,
    began: Instant,
}

/// How the protocol names the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageIds {
    pub(crate) target: String,
    pub(crate) session: String,
}

impl TabState {
    fn new(options: &CdpOptions) -> Self {
        let origins = options.origins();
        let upload = options.upload.iter();
        Self {
            faults: FaultLog::new(origins.clone()),
            evidence: EvidenceLog::default(),
            answered: HashSet::new(),
            silent: None,
            origins,
            accept_dialogs: options.accept_dialogs,
            blocklist: Blocklist::new(&options.blocklist),
            upload: upload.map(|path| path.display().to_string()).collect(),
            block_origins: options.block_origins,
            blocked: Blocked::default(),
            answer_empty: false,
            context: None,
            page: None,
            gone: None,
            lost: None,
            frames: Frames::default(),
            workers: HashMap::new(),
            closing: HashSet::new(),
            requests: Requests::default(),
            scripts: Scripts::default(),
            notices: Vec::new(),
            ordinal: 0,
            budgets_expired: 0,
            frame_owed: true,
            frameless: false,
            last_frame: tokio::time::Instant::now(),
            browser_counts: matches!(options.browser, BrowserChoice::Launch { .. }),
            documents: 0,
            loaded: false,
            real_time: None,
            virtual_clock: options.clock == Clock::Virtual,
            app_time: Duration::ZERO,
            visible_before: 0,
            hung_after: None,
            broken_images: 0,
            broken_seen: 0,
            began: Instant::now(),
        }
    }
}

impl Tab {
    pub(crate) fn new(options: &CdpOptions) -> Self {
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(TabState::new(options)),
                changed: Notify::new(),
                watching: AtomicBool::new(false),
            }),
        }
    }

    /// Begins with another app, after the page of the one before was closed. A browser that is lost
    /// stays lost.
    pub(crate) fn renew(&self, options: &CdpOptions) {
        let mut state = self.state();
        let lost = state.lost.take();
        *state = TabState::new(options);
        state.lost = lost;
    }

    /// The state, for a moment.
    pub(crate) fn state(&self) -> MutexGuard<'_, TabState> {
        // No critical section leaves the state half changed.
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether faults are collected.
    pub(crate) fn is_watching(&self) -> bool {
        self.shared.watching.load(Ordering::Relaxed)
    }

    /// Begins or ends the collection of faults.
    pub(crate) fn watch(&self, on: bool) {
        self.shared.watching.store(on, Ordering::Relaxed);
    }

    /// Waits until a look at the state gives something, or the deadline passes.
    pub(crate) async fn wait_for<T>(
        &self,
        deadline: Duration,
        look: impl Fn(&TabState) -> Option<T>,
    ) -> Option<T> {
        let until = tokio::time::Instant::now() + deadline;
        loop {
            let changed = self.shared.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(found) = look(&self.state()) {
                return Some(found);
            }
            if tokio::time::timeout_at(until, changed).await.is_err() {
                return look(&self.state());
            }
        }
    }

    /// Records a fault of the app, if somebody watches.
    pub(crate) fn fault(&self, mut fault: BrowserFault, exception_id: Option<i64>) {
        if self.is_watching() {
            let mut state = self.state();
            if fault
                .page
                .as_deref()
                .is_some_and(|page| !state.is_inside(page))
            {
                let doubt = "it happened on a page outside the app";
                fault.doubt.get_or_insert_with(|| doubt.to_owned());
            }
            let (ordinal, at) = (state.ordinal, state.app_time);
            state.faults.push(fault, ordinal, at, exception_id);
        }
    }

    /// Whether the page was found to hang since the last action began.
    pub(crate) fn is_hanging(&self) -> bool {
        let state = self.state();
        state.hung_after == Some(state.ordinal)
    }

    /// How long an answer of the page is waited for: less where it is known to hang.
    pub(crate) fn patience(&self) -> Duration {
        if self.is_hanging() {
            Duration::from_secs(1)
        } else {
            HANG
        }
    }

    /// The page does not answer: once per action that is evidence (WEB-040).
    pub(crate) fn hang(&self, what: &str, waited: Duration) {
        let (page, known) = {
            let mut state = self.state();
            let ordinal = state.ordinal;
            let known = state.hung_after.replace(ordinal) == Some(ordinal);
            (state.frames.main_url(), known)
        };
        if !known {
            let message = format!("no answer for {} s", waited.as_secs().max(1));
            let mut fault = BrowserFault::new(CrashKind::Hang, message);
            fault.source = Some(format!("after {what}"));
            fault.page = page;
            self.fault(fault, None);
        }
    }
}

impl TabState {
    /// A new launch: nothing of the page before matters. Faults that were not asked for stay.
    pub(crate) fn reset(&mut self, context: String) {
        self.context = Some(context);
        self.page = None;
        self.gone = None;
        self.answer_empty = false;
        self.frames.clear();
        self.workers.clear();
        self.begin_anew();
    }

    /// The page is there, and still empty.
    pub(crate) fn begin_anew(&mut self) {
        self.requests = Requests::default();
        self.frame_owed = true;
        self.frameless = false;
        self.last_frame = tokio::time::Instant::now();
        self.loaded = false;
        self.documents = 0;
        self.real_time = None;
        self.visible_before = 0;
    }

    /// How many broken images of a view nobody has reported yet: those that were answered, but not
    /// with a picture.
    pub(crate) fn new_broken_images(&mut self, in_view: u64) -> u64 {
        let known = self.broken_seen.max(self.broken_images);
        self.broken_seen = self.broken_seen.max(in_view);
        in_view.saturating_sub(known)
    }

    /// Notes whether a server of the app still answers.
    pub(crate) fn note_reach(&mut self, exchange: &Exchange) {
        const DOWN: [&str; 4] = [
            "net::ERR_CONNECTION_REFUSED",
            "net::ERR_ADDRESS_UNREACHABLE",
            "net::ERR_INTERNET_DISCONNECTED",
            "net::ERR_NAME_NOT_RESOLVED",
        ];
        let own = origin_of(&exchange.url).filter(|origin| self.origins.contains(origin));
        let Some(origin) = own else { return };
        match &exchange.error {
            None => {
                self.silent.take_if(|(silent, _)| *silent == origin);
                self.answered.insert(origin);
            }
            Some(error) if DOWN.contains(&error.as_str()) && self.answered.contains(&origin) => {
                self.silent = Some((origin, error.clone()));
            }
            Some(_) => {}
        }
    }

    /// Whether an address is inside the app.
    pub(crate) fn is_inside(&self, url: &str) -> bool {
        // A socket belongs to the origin of the page that could be there (`ws` to `http`).
        let socket = url.strip_prefix("ws").map(|rest| format!("http{rest}"));
        let url = socket.as_deref().unwrap_or(url);
        self.origins.iter().any(|origin| has_origin(url, origin))
    }

    fn is_page(&self, session: Option<&str>) -> bool {
        self.page
            .as_ref()
            .is_some_and(|page| Some(page.session.as_str()) == session)
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Real time since the driver began.
    pub(crate) fn real_elapsed(&self) -> Duration {
        self.elapsed()
    }
}
