import { formatNumber, formatPair, formatSize, formatWeight } from '../logic/format.ts';
import { em, rich, type Rich } from '../logic/rich.ts';
import type { CellFacts } from '../logic/facts.ts';
import type { CellWords, Content } from './content.ts';

function pair(cell: CellFacts, { query, key }: CellWords): Rich {
  const q = em(query);
  const k = em(key);
  if (cell.b === null)
    return rich`在 A 里，${q} 给 ${k} 的权重是 ${em(formatWeight(cell.weightA))}；B 里缺了其中一个词。`;
  if (cell.hiddenA && cell.hiddenB) return rich`两种次序里，${q} 都看不到 ${k}：被遮住了。`;
  if (cell.hiddenA) return rich`在 A 里，${q} 看不到 ${k}；到了 B，${q} 给它 ${em(formatWeight(cell.weightB))}。`;
  if (cell.hiddenB) return rich`在 A 里，${q} 给 ${k} ${em(formatWeight(cell.weightA))}；到了 B，它被遮住了。`;
  if (cell.delta === 0) return rich`两种次序里，${q} 给 ${k} 的权重都是 ${em(formatWeight(cell.weightA))}。`;
  const [from, to] = formatPair(cell.weightA, cell.weightB);
  return rich`${q} 给 ${k} 的权重从 ${em(from)} 变成 ${em(to)}。`;
}

export const zh: Content = {
  lang: 'zh',
  htmlLang: 'zh-Hans',
  title: 'posenc：词还是那些词，次序换了',
  skip: '跳到实验',
  language: '语言',
  theme: { auto: '配色：跟随系统', light: '配色：浅色', dark: '配色：深色' },

  heading: '词还是那些词，次序换了',
  lede: '注意力本身只看见一袋子词。选一种让位置进来的办法，换个次序，看每个词把目光投向哪里。',
  sentences: { a: '我爱你', b: '你爱我' },
  presets: [
    { a: '我爱你', b: '你爱我' },
    { a: '昨天我爱你', b: '昨天你爱我' },
    { a: '狗咬人', b: '人咬狗' },
    { a: '屡战屡败', b: '屡败屡战' },
    { a: '汤姆追杰瑞', b: '杰瑞追汤姆' },
    { a: 'Tom chased Jerry', b: 'Jerry chased Tom' },
  ],
  padding: { word: '昨天', separator: '' },

  words: {
    group: '两个句子',
    sentence: (row) => `句子 ${row.toUpperCase()}`,
    help: '按回车编辑句子；按住 Shift 再按方向键，移动这个词。',
    chip: (word, place, total, position) => `${word}，第 ${place} 个词，共 ${total} 个，位置 ${position}`,
    edit: (row) => `编辑句子 ${row.toUpperCase()}`,
    empty: '写一句话',
    more: (count) => `还有 ${count} 个`,
    done: '完成',
    join: '与后合并',
    split: '拆成字',
    moveLeft: '前移',
    moveRight: '后移',
    moved: (word, place, total) => `${word} 移到第 ${place} 个，共 ${total} 个`,
    swap: '交换两词',
    swapHint: (first, second) => `在 B 里交换「${first}」和「${second}」`,
    reverse: '倒序',
    reverseHint: '把 B 倒过来读',
    shuffle: '打乱',
    shuffleHint: '把 B 的词换一种次序',
    shift: '平移',
    shiftHint: (offset) => `所有词的位置加一；现在第一个词在位置 ${offset}`,
    undo: '撤销',
    redo: '重做',
    examples: '例句',
    cut: '切分',
    cuts: { auto: '共有', char: '字', word: '词' },
    onlyFirst: (computed, total) => `全文 ${total} 个词，只计算前 ${computed} 个；其余照样保留。`,
  },

  picker: {
    encoding: '编码',
    families: {
      none: '什么都不加',
      added: '加在词向量上',
      rotated: '旋转查询和键',
      bias: '给分数加偏置',
      relative: '相对位置向量',
      content: '随内容而定',
    },
    mask: '每个词能看',
    masks: { none: '前后都看', causal: '只看前文' },
    source: (authors, year) => `${authors}，${year}`,
  },

  settings: {
    title: '设置',
    none: '这种编码没有参数。',
    reset: '复原',
    resetHint: '参数、头、起点和遮挡恢复原样；种子和句子保留。',
    seed: '种子',
    seedDoc: '换个种子就换一组随机权重；同一个种子，数字永远相同。',
    head: '头',
    headDoc: (heads) => `这一层有 ${heads} 个注意力头，各有各的权重。`,
    start: '起点',
    startDoc: '两个句子里第一个词的位置。相对编码察觉不到它。',
    less: (label) => `${label}：减`,
    more: (label) => `${label}：加`,
  },

  encodings: {
    none: { name: '无编码', inSentence: '无编码', summary: '没有什么说明词站在哪里。' },
    sinusoidal: { name: '正弦', summary: '把许多种波长的波加在词向量上。' },
    learned: { name: '可学习', summary: '每个位置有一行数，加在词向量上；这里是随机的，没有训练过。' },
    rope: { name: 'RoPE 旋转', summary: '查询和键按位置旋转；两者的夹角只看相对距离。' },
    alibi: { name: 'ALiBi', summary: '离得越远，分数扣得越多。' },
    t5_bias: { name: 'T5 偏置', summary: '每一档距离有一个数，加在分数上；这里是随机的，没有训练过。' },
  },
  fields: {
    theta: { label: '底数 θ', doc: '波长从 2π 个词起，最长约 2π·θ 个词。' },
    convention: { label: '排列', doc: '正弦和余弦怎么排，指数怎么分。' },
    layout: { label: '配对', doc: '哪两个通道组成一对，一起旋转。' },
    rotary_dim: { label: '旋转宽度', doc: '一个头里参加旋转的通道数；其余的不知道位置。' },
    max_position: { label: '表长', doc: '位置表有多少行；再往后没有位置。' },
    seed: { label: '表的种子', doc: '这张表是随机的，没有训练过；种子决定是哪一张。' },
    stddev: { label: '标准差 σ', doc: '这些随机数散开的程度；词向量的是 1。' },
    bias_max: { label: '斜率范围', doc: '有 n 个头（n 是 2 的幂）时，斜率从 2^(−范围/n) 到 2^(−范围)。' },
    form: { label: '形式', doc: '排在查询后面的键怎么办。' },
    bidirectional: { label: '区分前后', doc: '前面和后面的键各有各的档；关掉时，后面的键都归入第 0 档。' },
    num_buckets: { label: '档数', doc: '距离分成多少档。' },
    max_distance: { label: '最远距离', doc: '超过它的距离都归入最后一档。' },
  },
  choices: {
    'convention.interleaved': '交错',
    'convention.concatenated': '拼接',
    'convention.concatenated_half_1': '拼接（half − 1）',
    'layout.interleaved': '相邻',
    'layout.half': '前后半',
    'form.symmetric': '对称',
    'form.causal': '只罚前文',
  },
  units: { token: '词', tokens: '词', position: '个', positions: '个', channels: '个', logit: '分', logits: '分' },

  matrix: {
    group: '注意力权重',
    a: 'A',
    b: (align) => (align === 'word' ? 'B，按 A 的词序' : 'B，按自己的次序'),
    delta: (align) => (align === 'word' ? 'Δ = B − A，按词' : 'Δ = B − A，按位置'),
    short: { a: 'A', b: 'B', delta: 'Δ' },
    panels: '矩阵',
    query: '谁在看',
    key: '看谁',
    slot: '位置',
    align: '对齐',
    aligns: { word: '按词', slot: '按位置' },
    alignHint: (exact) =>
      exact
        ? '按位置比，同样的权重只因为行和列换了地方，就显得不同。'
        : '按位置比，两件事混在一起：词换了地方，权重也变了。',
    colours: 'Δ 的颜色',
    scales: { fixed: '±1', fit: '自适应' },
    view: '显示',
    views: { picture: '图', table: '表' },
    copy: '复制数字',
    copied: '已复制',
    firstWords: (shown, total) => `共 ${total} 个词，表里是前 ${shown} 个；复制会带上全部。`,
    legendWeight: '权重',
    legendChange: '变化',
    legendNegative: '少',
    legendPositive: '多',
    weightCell: ({ query, key }, weight) => `${query} 看 ${key}，${weight}`,
    weightCellWas: ({ query, key }, weight, was) => `${query} 看 ${key}，${weight}，原来 ${was}`,
    changeCell: ({ query, key }, change, from, to) => `${query} 看 ${key}，变化 ${change}，从 ${from} 到 ${to}`,
    zeroCell: ({ query, key }) => `${query} 看 ${key}，变化 = 0，丝毫没变`,
    aloneCell: ({ query, key }) => `${query} 看 ${key}，另一句里没有对应的词`,
    waiting: '正在计算',
  },

  verdict: (facts, encoding, words) => {
    const zero = em('0');
    switch (facts.verdict) {
      case 'nothing_shared':
        return rich`两个句子没有相同的词，没法比较。`;
      case 'same':
        return rich`A 和 B 是同一句话：什么都没动，什么都不变。`;
      case 'order_blind':
        return rich`用${em(encoding)}，${String(facts.compared)} 个权重一个都没变（最大变化 ${zero}）。这些词怎么排都一样：对这一层来说，位置不存在。`;
      case 'mirror_blind':
        return rich`最大变化 ${zero}。一句话和它的镜像，词与词的距离完全相同；只看隔多远、不看谁先谁后的编码，分不清这两句。`;
      case 'zero':
        return rich`用${em(encoding)}，这一对句子的 ${String(facts.compared)} 个权重都没变（最大变化 ${zero}）。`;
      case 'change': {
        const where = facts.at ? rich`，在 ${words[facts.at.query] ?? ''} → ${words[facts.at.key] ?? ''}` : [];
        const size = rich`最大变化 ${em(formatSize(facts.maxDelta))}${where}。`;
        return facts.maskAlone
          ? rich`${size}这里并没有用编码：每个词只看得到前面的词，单凭这一点，次序就露出来了。`
          : size;
      }
    }
  },
  alone: (words) => `${words.map((word) => `「${word}」`).join('')}在另一句里没有对应的词：画成斜线，不参加比较。`,
  pair,
  shifted: (offset, size) =>
    size === null
      ? `第一个词在位置 ${offset}。`
      : size === '0'
        ? `第一个词在位置 ${offset}。在这种编码下，所有词一起移动，什么都不变。`
        : `第一个词在位置 ${offset}。在这种编码下这有影响：所有词一起移动，权重最多变 ${size}。`,
  mirrorBackwards: '只看前文',
  mirrorPadding: '前面加上「昨天」',

  arithmetic: {
    title: ({ query, key }) => rich`${em(query)} → ${em(key)} 是怎么算出来的`,
    caption: '内容、位置、偏置相加得到分数；对一行分数做 softmax，得到权重。',
    parts: { content: '内容', position: '位置', bias: '偏置', logit: '分数', weight: '权重' },
    softmax: 'softmax',
    hidden: '被遮住',
    alone: 'B 里没有',
    bar: (row) => `${row} 的加法`,
  },

  weights: (seed, head) => `权重：固定的随机数，种子 ${seed}，头 ${head}。`,
  why: '为什么？',
  whyText:
    '这一层没有训练过。词向量、W_Q、W_K 随机取定就不再动，所以看到的变化全部来自位置。训练过的权重会给出别的数字；由编码本身决定的零，仍然是零。',

  scoreboard: {
    title: '谁分得清？',
    lede: (mask) =>
      `同样两句话，放进每一种编码。三项测试此刻就在句子 A 上做，${mask === 'none' ? '前后都看' : '只看前文'}。`,
    sort: '排序',
    sorts: { family: '按种类', change: '按变化' },
    masks: { none: '前后都看', causal: '只看前文' },
    largest: '最大变化',
    thumbnail: (mask, size) => `${mask === 'none' ? '前后都看' : '只看前文'}的变化：最大 ${size}`,
    blind: { shuffle: '分不清次序', mirror: '分不清镜像', shift: '分不清平移' },
    sees: { shuffle: '分得清次序', mirror: '分得清镜像', shift: '分得清平移' },
    untried: { shuffle: '次序：没有别的排法可试', mirror: '镜像：倒过来还是它自己', shift: '平移：后面没有位置可试' },
    measured: (test, size, tried) =>
      `${{ shuffle: '换别的次序', mirror: '倒过来读', shift: '所有词一起后移' }[test]}：最大变化 ${size}，试了 ${tried} 次`,
    load: (name) => `在实验里看 ${name}`,
    loaded: '正在上面显示',
    scale: '每张卡片的颜色都从 −1 到 +1；测试旁的数字是它的最大变化。',
    working: '正在计算',
  },

  problems: {
    title: '请留意',
    dismiss: '知道了',
    notice: (field, value, rule, used) => `链接里 ${field} 是「${value}」，但它应当是${rule}。这里用 ${used}。`,
    refused: (field, rule, value, used) => `${field}应当是${rule}。你写的是「${value}」，仍然用 ${used}。`,
    rule: (rule) => {
      switch (rule.kind) {
        case 'bool':
          return '开或关';
        case 'choice':
          return `这些值之一：${rule.choices.join('、')}`;
        case 'list':
          return `用逗号隔开的数，从 ${formatNumber(rule.min)} 到 ${formatNumber(rule.max)}`;
        case 'engine':
          return `：${rule.text}`;
        case 'number': {
          const kind = rule.multipleOf > 1 ? `${rule.multipleOf} 的倍数` : rule.integer ? '整数' : '数';
          return `从 ${formatNumber(rule.min)} 到 ${formatNumber(rule.max)} 的${kind}`;
        }
      }
    },
    engine: ({ code, rule: own, value, message }, field, rule) => {
      switch (code) {
        case 'empty_input':
          return `${field || '句子'}是空的，至少写一个词。`;
        case 'position_out_of_range':
          return `这种编码没有位置 ${value}（${own}）。请少写几个词、把起点提前，或加长位置表。`;
        case 'out_of_memory':
          return '词太多，内存不够。';
        default:
          if (field === '') return message;
          return rule === null
            ? `${field}不合规则（${own}），给的是 ${value}。`
            : `${field}应当是${rule}，给的是 ${value}。`;
      }
    },
    lastGood: '图里仍是上一次算成的数字。',
    fieldNames: {
      a: '句子 A',
      b: '句子 B',
      tokens: '句子',
      e: '编码',
      m: '遮挡',
      s: '种子',
      h: '头',
      o: '起点',
      q: '查询',
      k: '键',
      t: '切分',
      w: '对齐',
      z: '颜色',
      r: '卡片次序',
      p: '显示',
      lang: '语言',
      theme: '配色',
    },
  },

  failure: {
    cause: {
      wasm_blocked: '这里禁用了 WebAssembly。',
      wasm_not_found: '引擎文件 posenc.wasm 没有送到。',
      wasm_not_wasm: '服务器送来的不是 posenc.wasm。',
      wasm_unsupported: '这个浏览器太旧：引擎需要带 SIMD 的 WebAssembly。',
      other: '引擎没有启动。',
    },
    saved: (encoding, { a, b }) =>
      `现在显示的是存好的图：${encoding}，「${a}」和「${b}」。你写的内容都保留着，只是没有计算。`,
    retry: '再试一次',
  },

  footer: '本页的每个数字，都由同一个 C++ 核心编译成 WebAssembly，在你的浏览器里算出。你写的内容不会离开浏览器。',
};
