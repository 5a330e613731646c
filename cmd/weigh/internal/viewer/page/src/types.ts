// The answers of the server, as docs/json.md and the server's own endpoints define them.

export type Maybe<T> = T | null;
export type Dim = number;
/** A number, or "NaN", "Infinity" or "-Infinity", which JSON cannot write as numbers. */
export type Num = number | string;

export interface Target {
  t: number; name: string; remote: boolean; files: number; tensors: number; bytes: number;
  header_bytes: number; models: string[]; packed: boolean; unread: Maybe<{ file: string; message: string }[]>;
}
export interface Limits {
  rows: number; nodes: number; regions: number; hex: number; slice: number; findings: number; changes: number;
  local_budget: number; remote_budget: number;
}
export interface Session { version: string; export: boolean; targets: Target[]; compare: boolean; limits: Limits }

export interface Fact { value: unknown; from: Maybe<string> }
export interface Logical {
  params: Maybe<number>; bounds: number[]; exact: boolean; unique: Maybe<number>; scheme: string;
  bits_per_param: Maybe<number>; overhead: number; buffers: number; notes: string[];
}
export interface Component {
  component: string; tensors: number; elements: number; params: Maybe<number>; bytes: number;
}
export interface Experts {
  count: Maybe<number>; chosen: Maybe<number>; active: Maybe<number>; active_without_embedding: Maybe<number>;
}
export interface Adapter {
  kind: string; spelling: Maybe<string>; modules: number; rank: Fact; alpha: Fact; base: Fact; components: string[];
}
export interface Model {
  name: string; logical: Logical; without_embedding: Maybe<number>; components: Maybe<Component[]>;
  experts: Maybe<Experts>; architecture: Maybe<Record<string, Maybe<Fact>>>; adapter: Maybe<Adapter>;
}
export interface FileInfo {
  path: string; format: string; size: number; header_size: Maybe<number>; data_size: Maybe<number>; tensors: number;
}
export interface DtypeTotal { dtype: string; tensors: number; elements: number; bytes: number }
export interface Info {
  files: FileInfo[]; dtypes: DtypeTotal[]; logical: Maybe<Logical>; models: Maybe<Model[]>;
  totals: { files: number; tensors: number; params: Maybe<number>; elements: number; bytes: number };
}

export interface Finding {
  rule: string; severity: string; file: string; tensor: Maybe<string>; message: string; fix: string;
  allowed?: Maybe<unknown>;
}
export type Counts = Record<string, number>;
export interface Check { ok: boolean; findings: Finding[]; counts: Counts; omitted: number; unread: Maybe<{ file: string; message: string }[]> }

export interface Metadata {
  file: string; total: number; entries: { key: string; value: string; bytes: number; cut: boolean }[];
  words: Maybe<{ title: string; facts: { name: string; value: string }[] }[]>; others: Maybe<string[]>;
}

export interface Node {
  word?: string; label?: string; path: string; tensors: number; elements: number; bytes: number; dtype: string;
  id?: number; shape?: Dim[]; repeated?: number; children?: Maybe<Node[]>; more?: number; more_bytes?: number;
}

export interface Row {
  id: number; name?: string; label?: string; dtype: string; shape: Dim[]; elements: number; bytes: number;
  file: string; file_offsets: Maybe<[number, number]>; flags: Maybe<string[]>; count?: number;
}
export interface Rows { total: number; tensors: number; all: number; elements: number; bytes: number; offset: number; rows: Row[] }
export interface Facets {
  dtypes: { dtype: string; tensors: number; bytes: number }[]; files: { file: string; tensors: number }[];
  flags: Maybe<{ flag: string; tensors: number }[]>;
}

export interface Part { id: number; role: string; name?: string; label?: string }
export interface Tensor extends Row {
  t: number; data_offsets: Maybe<[number, number]>; previous: Maybe<number>; next: Maybe<number>;
  readable: boolean; reason: Maybe<string>;
  weight: Maybe<{ name: string; scheme: string; dtype: string; shape: Dim[]; reason: Maybe<string>; parts: Part[] }>;
  views: string[]; remote: boolean; command: Maybe<string>;
}
export interface Plane {
  shape: Dim[]; axes: number[]; at: number[]; rows: number; columns: number; levels: number;
  range: Maybe<{ low: number; high: number; most: number }>; sampled: Maybe<{ rows: number; of: number }>; bytes: number;
}
export interface Norms {
  rows: Maybe<Num[]>; columns: Maybe<Num[]>; row_step: number; column_step: number;
  sampled: Maybe<{ rows: number; of: number }>;
}
export interface TensorStats {
  count: number; min: Maybe<Num>; max: Maybe<Num>; mean: Maybe<Num>; std: Maybe<Num>; nan: number; inf: number; zeros: number;
  histogram: Maybe<{ edges: Num[]; counts: number[] }>; flags: Maybe<string[]>;
}
export interface Extremes {
  quantiles: Maybe<{ q: number; value: Num }[]>; largest: Maybe<{ index: number[]; value: Num }[]>;
  nan: { count: number; first: Maybe<number[][]> }; inf: { count: number; first: Maybe<number[][]> };
  above: Maybe<{ sigma: number; count: number }[]>;
}
export interface Slice { slice: string; dtype: string; shape: Dim[]; text: string; command: Maybe<string> }

export interface Kind {
  kind: number; label: string; dtype: string; shape: Dim[]; layers: number; first: number; last: number;
  per_layer: number; tensors: number; bytes: number;
}
export interface Point {
  kind: number; layer: number; id: number; tensors: number; mean: Maybe<Num>; std: Maybe<Num>; absmax: Maybe<Num>;
  zeros: number; count: number; nan: number; inf: number;
}
export interface Kinds { kinds: Kind[]; tensors: number; bytes: number }

export interface Region {
  kind: string; bytes: [number, number]; size: number; name?: Maybe<string>; label?: string; dtype?: Maybe<string>;
  shape?: Maybe<Dim[]>; detail?: Maybe<string>; id?: number;
}
export interface Layout {
  size: Maybe<number>; regions: Region[]; total: number; offset: number;
  kinds: { kind: string; regions: number; bytes: number }[];
}
export interface Cell { begin: number; end: number; kind: string; regions: number; id: Maybe<number> }

export interface Side { dtype: string; shape: Dim[]; bytes: number }
export interface Apart {
  count: number; differ: number; max_delta: Maybe<Num>; max_relative: Maybe<Num>; relative_l2: Maybe<Num>; cosine: Maybe<Num>;
}
export interface Change {
  kind: string; part: string; name: string; to: Maybe<string>; a: Maybe<Side>; b: Maybe<Side>; values: Maybe<Apart>;
  a_id: Maybe<number>; b_id: Maybe<number>;
}
export interface LayerApart extends Apart { part: string; name: string; tensors: number }
export interface Diff {
  a: string; b: string; different: boolean; changes: Change[]; total: number; offset: number; counts: Counts;
  layers: Maybe<LayerApart[]>; components: Maybe<LayerApart[]>; metadata: Maybe<{ key: string; a: Maybe<string>; b: Maybe<string> }[]>;
}
