/** Runs one case in the place that imports this: a Node process or a page. */
import { agreeing } from './agree.mjs';
import { abilitiesOf } from './abilities.mjs';
import { race } from './race.mjs';
import { WORKLOADS } from './workloads/index.mjs';

/**
 * @param request      { workload, size, rounds }: rounds are options of race()
 * @param environment  { posenc, limits, peers }
 * @returns            { id, title, label, results }
 */
export async function runCase({ workload, size, rounds }, environment) {
  const { id, title, label, tolerance, compared, budgetMs, contenders: contendersOf } = WORKLOADS[workload];
  const contenders = contendersOf({ ...environment, abilities: abilitiesOf(environment.posenc) }, size);
  try {
    const honest = tolerance === undefined ? contenders : await agreeing(contenders, tolerance, compared?.(size));
    const results = await race(honest, { ...(budgetMs === undefined ? {} : { budgetMs }), ...rounds });
    return { id, title, label: label(size), results };
  } finally {
    for (const contender of contenders) await contender.dispose?.();
  }
}
