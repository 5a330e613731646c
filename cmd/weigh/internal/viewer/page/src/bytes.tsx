export function BytesPage() { return <p>BytesPage</p>; }
