import * as E from 'fp-ts/Either';
import { fault } from './fault';

/** One way to get something: what it gives, or why it does not serve here. Errors: a fault ends the search. */
export interface Way<A> {
  readonly name: string;
  readonly find: () => Promise<E.Either<string, A>>;
}

/** What was found, and the way that led there. */
export interface Found<A> {
  readonly way: string;
  readonly value: A;
}

/** Tries the ways in order. Errors: one fault that lists them all, each with why it did not serve. */
export const firstWay = async <A>(what: string, ways: ReadonlyArray<Way<A>>): Promise<Found<A>> => {
  const refused: Array<string> = [];
  for (const { name, find } of ways) {
    const found = await find();
    if (E.isRight(found)) return { way: name, value: found.right };
    refused.push(`  - ${name}: ${found.left}`);
  }
  throw fault(`${what} was not found. Any one of these helps:\n${refused.join('\n')}`);
};
