/** 64 MiB of zeros: 64 KiB once compressed. */
export const batchOfZeros = Buffer.alloc(67_108_864);

const MOST_BYTES = 1_000_000;

export const deep = '['.repeat(MOST_BYTES / 2) + ']'.repeat(MOST_BYTES / 2);

export const duplicates = `{${Array.from({ length: MOST_BYTES / 10 }, () => '"ab":1').join()}}`;

export const hugeNumbers = `{"status": [${Array.from({ length: 1_000 }, () => '9'.repeat(900)).join()}]}`;
