//! Session directories and the reports made from them.
