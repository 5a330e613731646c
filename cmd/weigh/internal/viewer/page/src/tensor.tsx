export function TensorPage() { return <p>TensorPage</p>; }
