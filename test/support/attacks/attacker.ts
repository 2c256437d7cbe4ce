import { attack, attacks, type Seen } from './attacks';

/**
 * A process that attacks, so that what it costs is not the cost of who measures. Its arguments: the name of the attack, the
 * target as JSON, how many connections an attack by their number opens. It says what it saw whenever it is sent a line.
 */
const main = ([name = '', target = '', connections = '']: ReadonlyArray<string>): void => {
  const plan = attacks[name];
  if (plan === undefined) throw new Error(`there is no attack by the name ${name}`);
  const seen: Seen = { statuses: {}, opened: 0, closed: 0 };
  const aim = JSON.parse(target);
  attack(plan(aim, Number(connections)), aim.port, seen);
  process.stdin.on('data', () => process.stdout.write(`${JSON.stringify(seen)}\n`));
  process.stdin.on('end', () => process.exit(0));
};

main(process.argv.slice(2));
