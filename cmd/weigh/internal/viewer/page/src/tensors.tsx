export function TensorsPage() { return <p>TensorsPage</p>; }
