// What @huggingface/hub says of the fixtures, as JSON on standard output.
//
//   go test ./model -run TestWriteFixtures -fixtures /tmp/fixtures
//   npm install --prefix /tmp/hub @huggingface/hub@2.17.5
//   node model/testdata/hfjs.mjs /tmp/fixtures /tmp/hub > model/testdata/hfjs.json
//
// The package reads its files through fetch, so it is given one that reads folders:
// one for each fixture, with config.json and the headers of files. The data is
// never asked for, and only its size is told.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, prefix] = process.argv.slice(2);
const require = createRequire(pathToFileURL(join(prefix, "x")));
const { parseSafetensorsMetadata } = require("@huggingface/hub");
const { version } = JSON.parse(readFileSync(join(prefix, "node_modules/@huggingface/hub/package.json")));

// sizeOf returns the size of the file that begins with a header.
function sizeOf(bytes) {
	const n = Number(bytes.readBigUInt64LE(0));
	const header = JSON.parse(bytes.subarray(8, 8 + n).toString());
	delete header.__metadata__;
	return 8 + n + Math.max(0, ...Object.values(header).map((t) => t.data_offsets[1]));
}

function fetchFrom(dir) {
	return async (input, init) => {
		const name = decodeURIComponent(/\/(?:resolve|raw)\/main\/(.*)$/.exec(String(input.url ?? input))?.[1] ?? "none");
		let bytes;
		try {
			bytes = readFileSync(join(dir, name));
		} catch {
			return new Response(null, { status: 404, headers: { "X-Error-Code": "EntryNotFound" } });
		}
		const size = name.endsWith(".safetensors") ? sizeOf(bytes) : bytes.length;
		const range = /^bytes=(\d+)-(\d*)$/.exec(new Headers(init?.headers).get("range") ?? "");
		const [begin, end] = range ? [Number(range[1]), range[2] === "" ? size - 1 : Math.min(Number(range[2]), size - 1)] : [0, bytes.length - 1];
		return new Response(bytes.subarray(begin, end + 1), {
			status: range ? 206 : 200,
			headers: { "content-range": `bytes ${begin}-${end}/${size}`, "content-length": String(end + 1 - begin), etag: '"x"' },
		});
	};
}

const fixtures = [];
for (const entry of readdirSync(folder).sort()) {
	const dir = join(folder, entry);
	const { name, digest } = JSON.parse(readFileSync(join(dir, "fixture.json")));
	const fixture = { name, digest, params: {}, total: 0, error: "" };
	try {
		const { parameterCount } = await parseSafetensorsMetadata({ repo: "some/model", computeParametersCount: true, fetch: fetchFrom(dir) });
		fixture.params = parameterCount;
		fixture.total = Object.values(parameterCount).reduce((a, b) => a + b, 0);
	} catch (error) {
		fixture.error = String(error.message);
	}
	fixtures.push(fixture);
}
const lines = fixtures.map((f) => "\t" + JSON.stringify(f));
console.log(`{"package": "@huggingface/hub", "version": ${JSON.stringify(version)}, "fixtures": [\n${lines.join(",\n")}\n]}`);
