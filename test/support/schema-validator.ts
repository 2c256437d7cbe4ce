import { Ajv2020 } from 'ajv/dist/2020';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;
const POINTER = /^(\/([^~/]|~[01])*)*$/u;

/** Compiles the schemas of the codecs. `double` and `int64` are notes for code generators, which hold of any number. */
export const schemaValidator = (): Ajv2020 =>
  new Ajv2020({ strict: false, formats: { uuid: UUID, 'json-pointer': POINTER, double: true, int64: true } });
