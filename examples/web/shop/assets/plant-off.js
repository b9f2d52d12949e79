// Served as /assets/plant.js when the shop runs without planted faults: every hook does nothing.
export function plant() {}
