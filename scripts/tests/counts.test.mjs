import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countJunit, countLine, countVitest, isCountLine, settle, sum } from '../counts.mjs';

const CATCH2 = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="posenc_tests" errors="1" failures="1" skipped="1" tests="904" hostname="tbd" time="0.1">
    <properties><property name="random-seed" value="1"/></properties>
    <testcase classname="posenc_tests.global" name="rope: scores fall for |q - k| -> big" time="0.001" status="run"/>
    <testcase classname="posenc_tests.global" name="fails" time="0.001" status="run">
      <failure message="1 == 2" type="CHECK">
FAILED:
  CHECK( 1 == 2 )
at tests/cpp/a_test.cpp:3
      </failure>
    </testcase>
    <testcase classname="posenc_tests.global" name="throws" time="0.001" status="run">
      <error type="TEST_CASE">boom</error>
    </testcase>
    <testcase classname="posenc_tests.global" name="skips" time="0.001" status="run">
      <skipped type="SKIP">not here</skipped>
    </testcase>
    <testcase classname="posenc_tests.global" name="talks" time="0.001" status="run">
      <system-out>a failure? no</system-out>
    </testcase>
    <system-out/>
  </testsuite>
</testsuites>`;

test('junit: failures and errors are failed, skipped are neither', () => {
  assert.deepEqual(countJunit(CATCH2), { passed: 2, failed: 2 });
});

test('junit: a report without tests counts nothing', () => {
  assert.deepEqual(countJunit('<testsuites><testsuite tests="0"/></testsuites>'), { passed: 0, failed: 0 });
});

test('junit: a report that is cut off has a failed test more', () => {
  assert.deepEqual(countJunit(CATCH2.replace('</testsuites>', '')), { passed: 2, failed: 3 });
  assert.deepEqual(countJunit(''), { passed: 0, failed: 1 });
});

test('vitest: a file that breaks on import is one failed test', () => {
  const report = {
    numPassedTests: 3,
    numFailedTests: 1,
    testResults: [
      { status: 'passed', assertionResults: [{ status: 'passed' }, { status: 'passed' }] },
      { status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] },
      { status: 'failed', assertionResults: [] },
    ],
  };
  assert.deepEqual(countVitest(JSON.stringify(report)), { passed: 3, failed: 2 });
});

test('line: the last one counts, and only a line of its own', () => {
  assert.deepEqual(countLine('1 passed, 0 failed\nx\n7 passed, 2 failed\n'), { passed: 7, failed: 2 });
  assert.equal(countLine('so far 7 passed, 2 failed, go on'), undefined);
  assert.equal(isCountLine('12 passed, 0 failed'), true);
  assert.equal(isCountLine('native  12 passed, 0 failed, 1.0 s'), false);
});

test('settle: no count, a bad end and no tests are each one failed test', () => {
  assert.deepEqual(settle(undefined, 139), { passed: 0, failed: 1 });
  assert.deepEqual(settle(undefined, 0), { passed: 0, failed: 1 });
  assert.deepEqual(settle({ passed: 5, failed: 0 }, 1), { passed: 5, failed: 1 });
  assert.deepEqual(settle({ passed: 0, failed: 0 }, 0), { passed: 0, failed: 1 });
  assert.deepEqual(settle({ passed: 5, failed: 2 }, 2), { passed: 5, failed: 2 });
  assert.deepEqual(settle({ passed: 5, failed: 0 }, 0), { passed: 5, failed: 0 });
});

test('sum adds up', () => {
  assert.deepEqual(
    sum([
      { passed: 1, failed: 2 },
      { passed: 3, failed: 0 },
    ]),
    { passed: 4, failed: 2 },
  );
  assert.deepEqual(sum([]), { passed: 0, failed: 0 });
});
