/** What a walk through a whole value counts. */
export interface Census {
  /** The members of all objects in it together. */
  members: number;
  /** Whether every number in it is finite: JSON.parse reads `1e999` as infinite. */
  isFinite: boolean;
}

/** Counts `value`, which comes from JSON. Without any path: they cost ten times what parsing does. */
export const censusOf = (value: unknown): Census => {
  const census = { members: 0, isFinite: true };
  visit(value, census);
  return census;
};

const visit = (value: unknown, census: Census): void => {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) census.isFinite = false;
  } else if (Array.isArray(value)) {
    for (const member of value) visit(member, census);
  } else if (typeof value === 'object' && value !== null) {
    const members: ReadonlyArray<unknown> = Object.values(value);
    census.members += members.length;
    for (const member of members) visit(member, census);
  }
};
