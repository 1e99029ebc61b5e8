// Reads how many tests passed and failed from what test programs write. Used by scripts/test.mjs.
//
// Each function returns {passed, failed}; skipped tests are neither.

/** From the text of a JUnit XML report (Catch2, node --test). */
export function countJunit(xml) {
  const counts = { passed: 0, failed: 0 };
  // Attribute values are matched as a whole, since Catch2 leaves a '>' in a test's name as it is.
  const testcase = /<testcase(?:\s+[\w:.-]+="[^"]*")*\s*(?:\/>|>([\s\S]*?)<\/testcase>)/g;
  for (const [, body = ''] of xml.matchAll(testcase)) {
    if (/<(failure|error)[\s/>]/.test(body)) counts.failed += 1;
    else if (!/<skipped[\s/>]/.test(body)) counts.passed += 1;
  }
  // Cut off: the program ended in the middle of a test, whatever its exit status says.
  if (!/<\/testsuites>\s*$/.test(xml)) counts.failed += 1;
  return counts;
}

/** From the text of vitest's JSON report. A file that breaks before its tests counts as one failed test. */
export function countVitest(json) {
  const report = JSON.parse(json);
  const counts = { passed: report.numPassedTests, failed: report.numFailedTests };
  for (const file of report.testResults) {
    const broken = file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed');
    if (broken) counts.failed += 1;
  }
  return counts;
}

const LINE = /^\s*(\d+) passed, (\d+) failed\s*$/;

/** From the last line of a program's output that says `N passed, N failed`; undefined without one. */
export function countLine(output) {
  const match = output
    .split('\n')
    .map((line) => LINE.exec(line))
    .findLast((found) => found !== null);
  return match && { passed: Number(match[1]), failed: Number(match[2]) };
}

/** Is this the line that only the end of the whole test run may print? */
export const isCountLine = (line) => LINE.test(line);

/**
 * What a program's counts and its exit status say together: one that died without a count, that ended badly though no
 * test failed, or that ran no test at all, is one failed test.
 */
export function settle(counts, exitCode) {
  const { passed, failed } = counts ?? { passed: 0, failed: 0 };
  const unexplained = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: failed + (unexplained ? 1 : 0) };
}

export const sum = (all) =>
  all.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed }), { passed: 0, failed: 0 });
