/** The most that every node takes in (docs/contributing/how-it-works.md, "Bounds"); an API may be set to take less. Texts are in characters. */
export const hardLimits = { choices: 100, bands: 100, hals: 100, textLength: 1_024, spectrumLines: 25_600 };
export type Limits = Readonly<typeof hardLimits>;

/** Characters of a unit's name: it is repeated in every band of every event. */
export const UNIT_LENGTH = 64;

/** Characters of a description that the service makes, which may quote what callers wrote. */
export const DESCRIPTION_LENGTH = hardLimits.textLength;

/** Bytes of a threshold, and of the answers of an inspection, as JSON. */
export const DOCUMENT_BYTES = 128 * 1_024;
export const TAGS_BYTES = 4 * 1_024;

/** Values of a command: a spectrum of the most lines has three for each. */
export const COMMAND_VALUES = 100_000;
/** Members of an object in a body or a command: no valid one has as many, and each name costs as much as several values. */
export const OBJECT_MEMBERS = 1_000;

/** Operations and bytes of one JSON Patch. */
export const PATCH_OPERATIONS = 100;
export const PATCH_BYTES = 64 * 1_024;

/** Bytes that the copies of one patch may bring in all, as JSON: no valid threshold is as large. */
export const COPIED_BYTES = DOCUMENT_BYTES + PATCH_BYTES;

/** What waits to be published: events, and their bytes as JSON. */
export const OUTBOX_EVENTS = 1_000;
export const OUTBOX_BYTES = 512 * 1_024;

/** How long a node knows an idempotency key (ms), how many keys it knows however old they are, and the most of all. */
export const KEY_KNOWN_MS = 600_000;
export const KEYS_KNOWN = 256;
export const MOST_KEYS = 8_192;

/** API processes of which a node knows the last group, the characters of their names, and the commands of a group. */
export const KNOWN_SENDERS = 64;
export const SENDER_LENGTH = 32;
export const GROUP_COMMANDS = 64;

/** Bytes of the patched thresholds, as JSON, that the answer to a group has room for; the first one always fits. */
export const PATCHED_BYTES = 256 * 1_024;

/** Characters of an idempotency key, of the name of a call in logs and events, and of a user id. */
export const IDEMPOTENCY_KEY_LENGTH = 128;
export const REQUEST_NAME_LENGTH = 64;
export const USER_ID_LENGTH = 256;

/** Nodes of one batch, and the revisions of which one precondition may name any. */
export const BATCH_NODES = 10_000;
export const REVISIONS = 16;

/** The unconfirmed events, and their bytes as JSON, up to which a node leaves publishing to its callers. */
export const RELAYED_EVENTS = 16;
export const RELAYED_BYTES = 128 * 1_024;

/** Signals that one run may leave to the next (Temporal takes as many per run), and their bytes as JSON. */
export const CARRIED_SIGNALS = 10_000;
export const CARRIED_SIGNALS_BYTES = 128 * 1_024;

/**
 * Signals that may wait where they are more bytes, and the bytes. Until the run can end, each adds its events to a history that
 * Temporal limits to 50 MiB.
 */
export const WAITING_SIGNALS = 250;
export const WAITING_SIGNALS_BYTES = 4 * 1_024 * 1_024;
