export function LayersPage() { return <p>LayersPage</p>; }
