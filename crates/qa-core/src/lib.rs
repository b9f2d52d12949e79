//! The pure engine: observation model, settle, state graph, safety, ledger and the exploration loop, behind ports.
