import { describe, expect, it } from 'vitest';

import { encodingOf, expectAttention, expectRotary, golden } from './support.ts';

// Rotations without scaling; rope_scaling.test.ts has the cases with one.

it.each(golden('nope-llama'))('no encoding as Llama without rotation has it: $name', (c) => {
  expectAttention(c, encodingOf('none'));
});

describe('rope', () => {
  const llama = golden('rope-apply-llama').filter((c) => c.text('rope_type') === 'default');
  it('Llama has four cases without scaling', () => expect(llama.length).toBe(4));
  it.each(llama)('as Llama has it: $name', (c) => {
    expectRotary(c, encodingOf('rope', { layout: 'half', theta: c.number('rope_theta') }));
  });

  it.each(golden('rope-apply-gptj'))('as GPT-J has it: $name', (c) => {
    const params = { layout: 'interleaved', theta: c.number('rope_theta'), rotaryDim: c.number('rotary_dim') };
    expectRotary(c, encodingOf('rope', params));
  });

  it.each(golden('rope-apply-gptneox'))('as GPT-NeoX has it: $name', (c) => {
    const rotaryDim = c.number('head_dim') * c.number('partial_rotary_factor');
    expectRotary(c, encodingOf('rope', { layout: 'half', theta: c.number('rope_theta'), rotaryDim }));
  });

  it.each(golden('rope-apply-roformer'))('as RoFormer has it: $name', (c) => {
    expectRotary(c, encodingOf('rope', { layout: 'interleaved', theta: c.number('rope_theta') }));
  });

  it.each(golden('rope-apply-glm'))('as GLM has it: $name', (c) => {
    const rotaryDim = c.number('head_dim') * c.number('partial_rotary_factor');
    expectRotary(c, encodingOf('rope', { layout: 'interleaved', theta: c.number('rope_theta'), rotaryDim }));
  });

  const meta = golden('rope-meta-llama').filter((c) => c.hasInput('q') && !c.flag('use_scaled'));
  it("Meta's Llama has one case without scaling", () => expect(meta.length).toBe(1));
  it.each(meta)("as Meta's Llama has it: $name", (c) => {
    expectRotary(c, encodingOf('rope', { layout: 'interleaved', theta: c.number('rope_theta') }));
  });

  const lucidrains = golden('rope-lucidrains').filter(
    (c) => c.number('theta_rescale_factor') === 1 && c.number('interpolate_factor') === 1,
  );
  it('rotary-embedding-torch has two cases without scaling', () => expect(lucidrains.length).toBe(2));
  it.each(lucidrains)('as rotary-embedding-torch has it: $name', (c) => {
    const params = { layout: 'interleaved', theta: c.number('theta'), rotaryDim: c.number('dim') };
    expectRotary(c, encodingOf('rope', params));
  });
});
