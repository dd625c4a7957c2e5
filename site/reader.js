// Evaluate the catalogue's programs: what a model class is built of, for any keys of a config.json.
//
// It does what paramproof/catalogue/program.py does, for a browser or Node; docs/catalogue.md has the
// format. Values are Python's: a bigint is an int, a number a float, a Map a dictionary, an array a
// list. A file is asked for by its name, and its text is returned.
//
//     const catalogue = new Catalogue((name) => readFileSync(`programs/${name}.json`, "utf-8"));
//     const part = catalogue.configuration(parse('{"model_type": "llama", "hidden_size": 2048}'));
//     part.field("head_dim"), part.count("LlamaModel").trainable, [...part.tensors("LlamaModel")]

const FORMAT = 3;
const LIMIT = 1000000n; // The largest number of items of a list that is computed.
const ROLES = ["trainable", "frozen", "buffer", "temporary buffer"];
export const ABSENT = Symbol("absent");
const OPAQUE = Symbol("opaque");

// A class refuses `keys`, by path in `part`; the kind is "type" for one that
// was not declared, "raised" for another error of the class, and "limit" if only the catalogue refuses.
export class Refused extends Error {
  constructor(reason, keys = {}, part = null, kind = "limit") {
    super([reason, ...Object.entries(keys).map(([path, value]) => `${path} = ${text(value)}`)].join(", "));
    Object.assign(this, { reason, keys, part, kind });
  }
}

// A file that is not loaded yet.
export class Missing extends Error {
  constructor(name) {
    super(`${name}.json is not loaded`);
    this.file = name;
  }
}

export const FIRST = ["index", "base"]; // The files that every count and nearly every count reads.

// Compute with a catalogue whose files `fetched`, an asynchronous function, gives when they are needed.
export async function loaded(fetched, compute) {
  const texts = new Map();
  for (const [i, text] of (await Promise.all(FIRST.map(fetched))).entries()) texts.set(FIRST[i], text);
  const catalogue = new Catalogue((name) => {
    if (!texts.has(name)) throw new Missing(name);
    return texts.get(name);
  });
  for (;;) {
    try {
      return compute(catalogue.start());
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      texts.set(error.file, await fetched(error.file));
    }
  }
}

// Numbers

const FLOAT = "\u0000"; // The key of a float in a parsed file, with its digits.

// Parse JSON with floats apart from ints, which JavaScript takes for the same.
function parseFile(json) {
  const tokens = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN|-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)/g;
  return JSON.parse(json.replace(tokens, (one) => (one[0] === '"' ? one : `{"\\u0000":"${one}"}`)));
}

// Return a value of a file as a value of Python.
function python(value) {
  if (typeof value === "number") return BigInt(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(python);
  return Object.hasOwn(value, FLOAT) ? Number(value[FLOAT]) : new Map(Object.entries(value).map(([k, v]) => [k, python(v)]));
}

export const parse = (json) => python(parseFile(json));

const isInt = (value) => typeof value === "bigint" || typeof value === "boolean";
const isNumber = (value) => isInt(value) || typeof value === "number";

function fail(reason) {
  throw new TypeError(reason);
}

function int(value) {
  if (isInt(value)) return BigInt(value);
  if (typeof value === "number") return Number.isFinite(value) ? BigInt(Math.trunc(value)) : fail("an infinite int");
  return typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value) ? BigInt(value.trim().replace(/^\+/, "")) : fail(`${text(value)} is no int`);
}

function float(value) {
  if (isNumber(value)) return Number(value);
  const words = { inf: Infinity, infinity: Infinity, "-inf": -Infinity, "+inf": Infinity, nan: NaN };
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (word in words) return words[word];
  return word && Number.isFinite(Number(word)) ? Number(word) : fail(`${text(value)} is no float`);
}

// Apply an operation to two ints, or else to two floats.
const numeric = (ofInts, ofFloats) => (one, other) => {
  if (!isNumber(one) || !isNumber(other)) fail(`an operation on ${text(one)} and ${text(other)}`);
  return isInt(one) && isInt(other) ? ofInts(BigInt(one), BigInt(other)) : ofFloats(Number(one), Number(other));
};
const nonzero = (value) => (value == 0 ? fail("a division by zero") : value);
const floored = (one, other) => one / nonzero(other) - (one % other !== 0n && one < 0n !== other < 0n ? 1n : 0n);
const minus = numeric((one, other) => one - other, (one, other) => one - other);
const power = numeric(
  (one, other) => (other < 0n ? nonzero(Number(one)) ** Number(other) : other > 64n ? finite(Number(one) ** Number(other)) : one ** other),
  (one, other) => finite(one === 0 && other < 0 ? nonzero(one) : one ** other),
);
const finite = (value) => (Number.isFinite(value) ? value : fail("a result that is too large"));

function rounded(value, digits) {
  if (isInt(value)) return BigInt(value);
  const scale = 10 ** Number(digits ?? 0n), low = Math.floor(value * scale);
  const isTie = value * scale - low === 0.5;
  if (digits !== undefined) return isTie ? (low % 2 ? low + 1 : low) / scale : Number(value.toFixed(Number(digits)));
  return BigInt(finite(isTie ? (low % 2 ? low + 1 : low) : Math.round(value)));
}

// Values

const truth = (value) => {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !(value instanceof Map || value instanceof PythonSet) || value.size > 0;
};

function equal(one, other) {
  if (isNumber(one) && isNumber(other)) return Number(one) === Number(other) && (typeof one !== "bigint" || typeof other !== "bigint" || one === other);
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((item, i) => equal(item, other[i]));
  if (one instanceof PythonSet) return other instanceof PythonSet && one.size === other.size && one.items.every((item) => other.has(item));
  if (one instanceof Map) return other instanceof Map && one.size === other.size && [...one].every(([k, v]) => other.has(k) && equal(v, other.get(k)));
  return one === other;
}

function less(one, other) {
  if (isNumber(one) && isNumber(other)) return Number(one) < Number(other);
  if (typeof one === "string" && typeof other === "string") return one < other;
  if (!Array.isArray(one) || !Array.isArray(other)) fail(`a comparison of ${text(one)} and ${text(other)}`);
  const at = one.findIndex((item, i) => i >= other.length || !equal(item, other[i]));
  return at < 0 ? one.length < other.length : at < other.length && less(one[at], other[at]);
}

const sorted = (items) => [...listed(items)].sort((one, other) => (less(one, other) ? -1 : less(other, one) ? 1 : 0));

class PythonSet {
  constructor(items) {
    this.items = [];
    for (const item of items) if (!this.has(item)) this.items.push(item);
  }
  get size() {
    return this.items.length;
  }
  has(value) {
    return this.items.some((item) => equal(item, value));
  }
}

// Return the items that Python would iterate over.
function listed(value) {
  if (Array.isArray(value)) return value;
  if (value instanceof PythonSet) return value.items;
  if (value instanceof Map) return [...value.keys()];
  return typeof value === "string" ? [...value] : fail(`the items of ${text(value)}`);
}

function text(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 1e16 ? value.toFixed(1) : String(value);
  if (Array.isArray(value)) return `[${value.map(text).join(", ")}]`;
  if (value instanceof Map) return `{${[...value].map(([k, v]) => `${text(k)}: ${text(v)}`).join(", ")}}`;
  return value instanceof Part ? value.program.name : String(value);
}

// Return the place of an item of a list; Python counts from the end if it is negative.
function place(items, index) {
  if (!isInt(index)) fail(`the index ${text(index)}`);
  const at = Number(index) + (index < 0 ? items.length : 0);
  return at >= 0 && at < items.length ? at : fail("an index out of range");
}

function get(holder, key) {
  if (holder instanceof Map) return holder.has(key) ? holder.get(key) : fail(`no ${text(key)}`);
  return typeof holder === "string" || Array.isArray(holder) ? holder[place(holder, key)] : fail(`an item of ${text(holder)}`);
}

function slice(items, start, stop, step) {
  const by = step === null ? 1 : Number(step), size = items.length;
  if (!by) fail("a step of 0");
  const clamp = (index, low, high) => Math.min(Math.max(Number(index) + (index < 0 ? size : 0), low), high);
  const [low, high] = by > 0 ? [0, size] : [-1, size - 1];
  const first = start === null ? (by > 0 ? low : high) : clamp(start, low, high);
  const last = stop === null ? (by > 0 ? high : low) : clamp(stop, low, high);
  const found = [];
  for (let i = first; by > 0 ? i < last : i > last; i += by) found.push(items[i]);
  return typeof items === "string" ? found.join("") : Array.isArray(items) ? found : fail(`a slice of ${text(items)}`);
}

function range(...bounds) {
  if (!bounds.every(isInt)) fail("a range of what is no int");
  const [start, stop, step] = bounds.length === 1 ? [0n, BigInt(bounds[0]), 1n] : [...bounds, 1n].slice(0, 3).map(BigInt);
  const size = floored(stop - start + (step > 0n ? step - 1n : step + 1n), step);
  if (size > LIMIT) fail(`a list of ${size} items is too long`);
  return Array.from({ length: Math.max(0, Number(size)) }, (_, i) => start + BigInt(i) * step);
}

function add(one, other) {
  if (typeof one === "string" && typeof other === "string") return one + other;
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  return numeric((a, b) => a + b, (a, b) => a + b)(one, other);
}

function times(one, other) {
  if (isInt(one) && !isNumber(other)) [one, other] = [other, one];
  if (isNumber(one)) return numeric((a, b) => a * b, (a, b) => a * b)(one, other);
  if (!isInt(other) || !(Array.isArray(one) || typeof one === "string")) fail(`a product of ${text(one)} and ${text(other)}`);
  if (BigInt(one.length) * BigInt(other) > LIMIT) fail("a list is too long");
  const number = Math.max(0, Number(other));
  return typeof one === "string" ? one.repeat(number) : Array.from({ length: number }, () => one).flat();
}

// Return an operation on ints that sets have as well.
const bits = (ofInts, setsGiven) => (one, other) =>
  one instanceof PythonSet && other instanceof PythonSet ? new PythonSet(setsGiven(one, other)) : numeric(ofInts, () => fail("bits of a float"))(one, other);

function contains(value, holder) {
  if (holder instanceof Map || holder instanceof PythonSet) return holder.has(value);
  if (typeof holder === "string") return typeof value === "string" ? holder.includes(value) : fail("what is no text in a text");
  return Array.isArray(holder) ? holder.some((item) => equal(item, value)) : fail(`the items of ${text(holder)}`);
}

const best = (isBetter) => (...given) => {
  const items = given.length > 1 ? given : listed(given[0]);
  return items.length ? items.reduce((one, other) => (isBetter(other, one) ? other : one)) : fail("the best of no items");
};

function size(value) {
  return BigInt(value instanceof Map || value instanceof PythonSet ? value.size : listed(value).length);
}

// The methods of texts, lists and dictionaries that programs call.
const METHODS = {
  string: {
    lower: (one) => one.toLowerCase(),
    upper: (one) => one.toUpperCase(),
    strip: (one) => one.trim(),
    split: (one, by) => (by === undefined ? one.trim().split(/\s+/) : one.split(by)),
    startsWith: (one, start) => one.startsWith(start),
    join: (one, items) => listed(items).map((item) => (typeof item === "string" ? item : fail("joined"))).join(one),
    replace: (one, old, other) => one.replaceAll(old, other),
    format: (one, ...given) => one.replace(/\{(\d*)\}/g, (_, at) => text(given[at ? Number(at) : 0])),
  },
  list: {
    index: (one, value) => {
      const at = one.findIndex((item) => equal(item, value));
      return at >= 0 ? BigInt(at) : fail(`${text(value)} is not in a list`);
    },
    count: (one, value) => BigInt(one.filter((item) => equal(item, value)).length),
  },
  dictionary: {
    get: (one, key, other = null) => (one.has(key) ? one.get(key) : other),
    items: (one) => [...one].map((pair) => [...pair]),
    keys: (one) => [...one.keys()],
    values: (one) => [...one.values()],
  },
};
METHODS.string.startswith = METHODS.string.startsWith;
METHODS.string.endswith = (one, end) => one.endsWith(end);

function method(name, owner, ...given) {
  const kind = typeof owner === "string" ? "string" : Array.isArray(owner) ? "list" : owner instanceof Map ? "dictionary" : "";
  return METHODS[kind]?.[name] ? METHODS[kind][name](owner, ...given) : fail(`the method ${name} of ${text(owner)}`);
}

const merged = (...some) => {
  const entries = some.flatMap((one) => (one instanceof Map ? [...one] : fail(`the entries of ${text(one)}`)));
  return new Map([...new Map(entries)].filter(([, value]) => value !== ABSENT));
};
const dictionary = (pairs) => new Map(listed(pairs).map((pair) => (pair.length === 2 ? pair : fail("a pair"))));

// The files

export class Catalogue {
  constructor(read) {
    this.read = read;
    this.files = new Map();
    this.programs = new Map();
    this.codes = new Map();
  }

  // Read the index.
  start() {
    this.index = this.file("index");
    if (this.index.format !== FORMAT) throw new Error(`the format is ${this.index.format}, not ${FORMAT}`);
    return this;
  }

  file(name) {
    if (!this.files.has(name)) this.files.set(name, parseFile(this.read(name)));
    return this.files.get(name);
  }

  // Return what the configuration class of a model type makes of the keys of a file.
  configuration(keys) {
    if (!this.index) this.start();
    const kind = keys.get("model_type");
    if (typeof kind !== "string" || !(kind in this.index.types)) throw new Refused("there is no program of this model type", { model_type: kind });
    return new Part(this, this.index.types[kind], keys);
  }

  program(name) {
    if (!this.programs.has(name)) this.programs.set(name, new Program(this, name));
    return this.programs.get(name);
  }

  // Return the function of a node, or of a value that stands for itself.
  code(file, given) {
    if (typeof given !== "number") return () => given;
    return given >= 0 ? this.node(file, given) : this.node("base", -1 - given);
  }

  node(file, number) {
    const key = `${file} ${number}`;
    if (!this.codes.has(key)) this.codes.set(key, this.compiled(file, number));
    return this.codes.get(key);
  }

  compiled(file, number) {
    const { nodes, varying } = this.file(file), node = nodes[number];
    if (!Array.isArray(node)) {
      const value = python(node);
      return () => value;
    }
    const [operation, ...given] = node, codes = given.map((one) => this.code(file, one));
    const strict = OPERATIONS[operation];
    const code = strict ? (part) => strict(...codes.map((one) => one(part))) : LAZY[operation](...codes);
    return (part) => {
      const memo = number >= varying ? part.local : part.memo;
      if (!memo.has(code)) memo.set(code, code(part));
      return memo.get(code);
    };
  }
}

// The program of a configuration class: its own rules over those of its base.
class Program {
  constructor(catalogue, name) {
    const file = catalogue.index.configurations[name];
    if (!file) throw new TypeError(`there is no program of ${name}`);
    const data = catalogue.file(file).configurations[name], base = data.base ? catalogue.program(data.base) : {};
    const coded = (rules = {}) => Object.entries(rules).map(([key, one]) => [key, catalogue.code(file, one)]);
    const groups = data.keys ?? [];
    const rules = (kind, own) => new Map([...(base[kind] ?? []), ...own]);
    this.name = name;
    this.aliases = data.aliases ?? {};
    this.models = data.models ?? {};
    this.defaults = rules("defaults", groups.flatMap(([, keys]) => Object.entries(keys).map(([key, value]) => [key, python(value)])));
    this.types = rules("types", groups.flatMap(([of, keys, ...more]) => [...Object.keys(keys), ...more].map((key) => [key, catalogue.code(file, of)])));
    this.fields = rules("fields", coded(data.fields));
    this.properties = rules("properties", coded(data.properties));
    this.refusals = rules("refusals", (data.refusals ?? []).map((one) => [one, catalogue.code(file, one)]));
    this.taken = new Set([...(base.taken ?? []), ...(data.taken ?? []), ...Object.keys(this.aliases)]);
  }
}

// A configuration object: the fields that a class makes of keys, each computed when read.
export class Part {
  constructor(catalogue, kind, keys) {
    if (!(keys instanceof Map)) fail(`${kind} is made of keys, not of ${text(keys)}`);
    const program = catalogue.program(kind), { types, fields, taken } = program;
    Object.assign(this, { catalogue, program, keys, given: new Map([...program.defaults, ...keys]), loops: {}, states: {} });
    this.values = new Map([...this.given].filter(([key]) => !fields.has(key) && (types.has(key) || !taken.has(key))));
    // What was computed, and what was computed since a loop last took an item.
    this.memo = new Map();
    this.local = new Map();
    for (const [name, value] of keys) {
      if (!types.has(name)) continue;
      Object.assign(this, { loops: { value: [0n, value] }, local: new Map() });
      const wrong = types.get(name)(this);
      if (wrong) throw new Refused(wrong, { [name]: value }, this, "type");
    }
    for (const code of program.refusals.values()) code(this);
    for (const name of fields.keys()) this.get(name);
  }

  // Compute a value; an error refuses the keys or fields that have these paths.
  compute(what, code, paths = "") {
    try {
      return code(this);
    } catch (error) {
      if (error instanceof Missing) throw error;
      if (!(error instanceof Refused)) this.refuse(`${what} cannot be computed: ${error.message}`, paths, "limit");
      if (error.part === this || what !== paths) throw error;
      const keys = Object.entries(error.keys).map(([path, value]) => [`${what}.${path}`, value]);
      throw new Refused(error.reason, Object.fromEntries(keys), this, error.kind);
    }
  }

  refuse(reason, paths, kind = "raised") {
    const found = paths.split(" ").filter(Boolean).map((path) => [path, this.look(path)]);
    throw new Refused(reason, Object.fromEntries(found), this, reason ? kind : "limit");
  }

  look(path) {
    const [name, ...rest] = path.split(".");
    const value = this.values.has(name) ? this.values.get(name) : this.given.has(name) ? this.given.get(name) : ABSENT;
    return rest.length && value instanceof Part ? value.look(rest.join(".")) : value;
  }

  // Return a field, or ABSENT.
  get(name) {
    const { aliases, fields, properties } = this.program;
    name = Object.hasOwn(aliases, name) ? aliases[name] : name;
    if (!this.values.has(name)) {
      if (!fields.has(name)) return properties.has(name) ? properties.get(name)(this) : ABSENT;
      this.values.set(name, this.compute(name, fields.get(name), name));
    }
    return this.values.get(name);
  }

  field(name) {
    const value = this.get(name);
    if (value === ABSENT) throw new Refused(`${this.program.name} has no ${name}`, {}, this);
    return value;
  }

  // Return the part after its attributes were set.
  updated(values) {
    const part = Object.create(Part.prototype), { aliases } = this.program;
    const own = [...values].map(([name, value]) => [Object.hasOwn(aliases, name) ? aliases[name] : name, value]);
    return Object.assign(part, this, { values: new Map([...this.values, ...own]), memo: new Map(), local: new Map() });
  }

  // Return what a function gives in each turn of a loop.
  loop(letter, source, turn) {
    const { loops, local } = this;
    for (const [i, item] of listed(source).entries()) {
      Object.assign(this, { loops: { ...loops, [letter]: [BigInt(i), item] }, local: new Map() });
      turn();
    }
    Object.assign(this, { loops, local });
  }

  comp(letter, source, element, kept) {
    const found = [];
    this.loop(letter, source, () => truth(kept(this)) && found.push(element(this)));
    return found;
  }

  fold(letter, source, states, nexts) {
    this.loop(letter, source, () => {
      this.states[letter] = states;
      states = nexts(this);
    });
    return states;
  }

  module(model) {
    const { index } = this.catalogue, name = this.program.models[model] ?? model, file = index.models[name];
    if (!file) throw new Refused(`there is no program of ${name}`);
    return this.compute(`the size of ${name}`, this.catalogue.code(file, this.catalogue.file(file).models[name]));
  }

  // Return the numbers of elements by role; those of one storage count once.
  count(model) {
    const found = Object.fromEntries(ROLES.map((role) => [role, 0n]));
    for (const { role, size } of this.module(model).sizes.values()) found[role] += size;
    return found;
  }

  // Yield the parameters and buffers of a model class; the scope is part of their storage.
  *tensors(model, scope = []) {
    yield* this.module(model).walk("", scope);
  }
}

// A parameter or a buffer; its shape may be unknown. Those of one storage are the same.
class Tensor {
  constructor(role, shape, storage = null, path = "") {
    Object.assign(this, { role, storage, path, shape: isInt(shape) ? [shape] : shape });
    if (this.shape?.some((one) => typeof one !== "bigint" || one < 0n)) fail(`a tensor cannot have the shape ${text(shape)}`);
    const size = this.shape?.reduce((one, other) => one * other, 1n);
    const key = storage ? `${role} ${storage.map(text).join(" ")}` : role;
    this.sizes = new Map(this.shape ? [[key, { role, size, isShared: storage !== null }]] : []);
  }
}

// Tensors and modules by name; under the name "" stand the rows of each module of a list.
class Module {
  constructor(rows) {
    this.children = [];
    this.sizes = new Map();
    for (const [name, child] of rows) {
      for (const one of name === "" ? (child ?? []) : [child]) {
        if (name === "") this.children.push(...one.children);
        else this.children.push([name, one]);
        for (const [key, { role, size, isShared }] of one.sizes) {
          const before = isShared ? 0n : (this.sizes.get(key)?.size ?? 0n);
          this.sizes.set(key, { role, size: size + before, isShared });
        }
      }
    }
  }

  // Yield the tensors; an item of a list of layers has its number as name.
  *walk(path, scope = []) {
    let number = 0;
    for (const [name, child] of this.children) {
      const inside = `${path}${name ?? number++}`;
      if (child instanceof Tensor) yield new Tensor(child.role, child.shape, [...scope, ...(child.storage ?? [inside])], inside);
      else yield* child.walk(`${inside}.`, scope);
    }
  }
}

// Operations on functions of a part, and operations on values

const three = (codes) => Array.from({ length: codes.length / 3 }, (_, i) => codes.slice(3 * i, 3 * i + 3));

const LAZY = {
  if: (when, one, other) => (part) => (truth(when(part)) ? one(part) : other(part)),
  and: (one, other) => (part) => {
    const value = one(part);
    return truth(value) ? other(part) : value;
  },
  or: (one, other) => (part) => {
    const value = one(part);
    return truth(value) ? value : other(part);
  },
  comp: (letter, source, element, kept) => (part) => part.comp(letter(part), source(part), element, kept),
  fold: (letter, source, states, nexts, number) => (part) => part.fold(letter(part), source(part), states(part), nexts)[Number(number(part))],
  item: (letter) => (part) => part.loops[letter(part)][1],
  turn: (letter) => (part) => part.loops[letter(part)][0],
  state: (letter, number) => (part) => part.states[letter(part)][Number(number(part))],
  config: () => (part) => part.keys,
  self: () => (part) => part,
  key: (name) => (part) => get(part.given, name(part)),
  "class of": (kind) => (part) => part.catalogue.index.types[kind(part)] ?? null,
  new: (kind, keys) => (part) => new Part(part.catalogue, kind(part), keys(part)),
  refuse: (when, why, paths) => (part) => {
    if (truth(part.compute("a condition", when, paths(part)))) part.refuse(why(part), paths(part));
    return null;
  },
  module: (...codes) => {
    const rows = three(codes);
    return (part) => new Module(rows.filter(([, exists]) => truth(exists(part))).map(([name, , child]) => [name(part), child(part)]));
  },
};

const KINDS = {
  object: (value) => value instanceof Map,
  list: Array.isArray,
  int: isInt,
  float: (value) => typeof value === "number",
  text: (value) => typeof value === "string",
  flag: (value) => typeof value === "boolean",
};

const OPERATIONS = {
  abs: (value) => (isInt(value) ? (value < 0n ? -BigInt(value) : BigInt(value)) : Math.abs(float(value))),
  all: (items) => listed(items).every(truth),
  any: (items) => listed(items).some(truth),
  len: size,
  max: best((one, other) => less(other, one)),
  min: best(less),
  round: rounded,
  set: (items) => new PythonSet(listed(items)),
  sorted,
  str: text,
  sum: (items, start = 0n) => listed(items).reduce(add, start),
  dict: dictionary,
  int,
  float,
  ceil: (value) => int(isInt(value) ? value : Math.ceil(float(value))),
  floor: (value) => int(isInt(value) ? value : Math.floor(float(value))),
  isfinite: (value) => (isNumber(value) ? Number.isFinite(Number(value)) : fail("isfinite")),
  log2: (value) => (isNumber(value) && value > 0 ? Math.log2(Number(value)) : fail("log2")),
  prod: (items) => listed(items).reduce(times, 1n),
  sqrt: (value) => (isNumber(value) && value >= 0 ? Math.sqrt(Number(value)) : fail("sqrt")),
  field: (part, name) => (part instanceof Part ? part.field(name) : fail(`${text(name)} of ${text(part)}`)),
  updated: (part, values) => (part instanceof Part ? part.updated(values) : fail(`attributes of ${text(part)}`)),
  not: (value) => !truth(value),
  truth,
  is: (one, other) => one === other,
  "==": equal,
  "<": less,
  "<=": (one, other) => less(one, other) || equal(one, other),
  ">": (one, other) => less(other, one),
  ">=": (one, other) => less(other, one) || equal(one, other),
  "+": add,
  "-": (one, other) => (one instanceof PythonSet ? new PythonSet(one.items.filter((item) => !other.has(item))) : minus(one, other)),
  "*": times,
  "/": numeric((one, other) => Number(one) / Number(nonzero(other)), (one, other) => one / nonzero(other)),
  "//": numeric(floored, (one, other) => Math.floor(one / nonzero(other))),
  "%": numeric((one, other) => one - floored(one, other) * other, (one, other) => one - Math.floor(one / nonzero(other)) * other),
  "**": power,
  "&": bits((one, other) => one & other, (one, other) => one.items.filter((item) => other.has(item))),
  "|": bits((one, other) => one | other, (one, other) => [...one.items, ...other.items]),
  neg: (value) => minus(0n, value),
  get,
  in: contains,
  has: (holder, key) => holder instanceof Map && holder.has(key),
  isinstance: (value, ...kinds) => kinds.some((one) => KINDS[one](value)),
  list: (...items) => items,
  range,
  slice,
  replaced: (items, at, other) => items.with?.(place(items, at), other) ?? items.map((item, i) => (i === place(items, at) ? other : item)),
  zip: (...lists) => Array.from({ length: Math.min(...lists.map((one) => listed(one).length)) }, (_, i) => lists.map((one) => listed(one)[i])),
  absent: () => ABSENT,
  opaque: () => OPAQUE,
  merged,
  method,
  "made by": (one, ...of) => one instanceof Part && (!of.length || of.includes(one.program.name)),
  "has field": (part, name) => (part instanceof Part ? part.get(name) !== ABSENT : fail(`a field of ${text(part)}`)),
  fields: (part) => part.values,
  tensor: (role, shape, storage) => new Tensor(role, shape, storage),
  model: (part, auto, scope) => new Module([...part.tensors(auto, scope)].map((one) => [one.path, one])),
  tied: (module, path) => [...module.walk("")].find((one) => one.path === path) ?? fail(`no tensor ${path}`),
};
