import { formatNumber, formatPair, formatSize, formatWeight } from '../logic/format.ts';
import { em, rich, type Rich } from '../logic/rich.ts';
import type { CellFacts } from '../logic/facts.ts';
import type { CellWords, Content } from './content.ts';
import { zhReader } from './zh_reader.ts';

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
    weights: '权重',
    weightsOf: { seeded: '随机', reader: '训练过' },
    layer: '层',
    layerDoc: (layers) => `读者有 ${layers} 层，选一层来看。`,
    start: '起点',
    startDoc: '两个句子里第一个词的位置。相对编码察觉不到它。',
    computed: '自动算出',
    less: (label) => `${label}：减`,
    more: (label) => `${label}：加`,
  },

  encodings: {
    none: { name: '无编码', inSentence: '无编码', summary: '没有什么说明词站在哪里。' },
    sinusoidal: {
      name: '正弦',
      inSentence: '正弦编码',
      summary: '把许多种波长的正弦和余弦加在词向量上，合起来就是位置的指纹。',
    },
    learned: {
      name: '可学习',
      inSentence: '可学习编码',
      summary: '每个位置有一行数，加在词向量上；表有多长，句子最多就有多长。',
    },
    sincos2d: {
      name: '二维正弦',
      inSentence: '二维正弦编码',
      summary: '图像切成块，每块的行和列各用一半宽度，写成正弦和余弦，加在块的向量上。',
    },
    rope: { name: 'RoPE', summary: '查询和键按位置旋转；两者的夹角只看相对距离。' },
    xpos: { name: 'xPos', summary: '在 RoPE 的旋转之外再加衰减：离得越远，乘积缩得越小，转得快的对缩得最多。' },
    mrope: {
      name: 'M-RoPE',
      summary: '沿时间、高、宽三个轴旋转，文字、图像和视频排在同一列里；只有文字时，它就是 RoPE。',
    },
    rope_2d: { name: '二维 RoPE', summary: '用于图像的 RoPE：一半的对按块所在的行旋转，另一半按列旋转。' },
    rope_mixed: {
      name: '混合 RoPE',
      summary: '用于图像的 RoPE：每个头的每一对沿着学来的方向旋转，行和列混在一起。',
    },
    alibi: { name: 'ALiBi', summary: '离得越远，分数扣得越多；每个头有自己的斜率。' },
    t5_bias: { name: 'T5 偏置', summary: '距离按前后和远近分桶，每个桶有一个学来的数，加在分数上。' },
    kerple_log: {
      name: 'KERPLE 对数',
      inSentence: 'KERPLE（对数）',
      summary: '扣分随距离的对数增长，越远增长得越慢；快慢由每个头自己学。',
    },
    kerple_power: {
      name: 'KERPLE 幂',
      inSentence: 'KERPLE（幂）',
      summary: '扣分随距离的幂增长；指数是学来的，每个头不同。',
    },
    sandwich: { name: 'Sandwich', summary: '两个位置的正弦编码越不像，分数扣得越多；没有要学的数。' },
    fire: { name: 'FIRE', summary: '先把距离换成占最远距离的比例，再由一个小网络把它变成偏置。' },
    dynamic_position_bias: {
      name: '动态位置偏置',
      summary: '一个小网络读入带正负号的距离，输出加在分数上的偏置。',
    },
    swin_bias: { name: 'Swin 偏置', summary: '两个图像块相隔几行几列，就从表里取哪一个学来的数，加在分数上。' },
    swin_v2_bias: {
      name: 'Swin v2 偏置',
      summary: '相隔的行数和列数先取对数，再由一个小网络变成偏置；换了窗口大小也能用。',
    },
    shaw: {
      name: 'Shaw',
      inSentence: 'Shaw 相对编码',
      summary: '每个带正负号的距离有一个学来的向量加在键上，还有一个加在值上；太远的距离共用一个。',
    },
    transformer_xl: {
      name: 'Transformer-XL',
      summary: '键里还带着距离的正弦编码，另有两个学来的向量权衡词和距离；它只看前文。',
    },
    xlnet: { name: 'XLNet', summary: '前后都看的 Transformer-XL：键里带的是有正负号的距离。' },
    deberta: {
      name: 'DeBERTa',
      summary: '内容和位置分开算：查询和距离的向量相乘，键也和距离的向量相乘；太远的距离共用一个。',
    },
    cope: { name: 'CoPE', summary: '位置由内容数出来：只数查询觉得相关的词，再按数到的位置给分数加偏置。' },
  },
  // `kind.field` comes before `field`; so do their choices.
  fields: {
    theta: { label: '底数 θ', doc: '第 0 对每过一个词转 1 弧度，最后一对约转 1/θ 弧度。' },
    convention: { label: '写法', doc: '论文和各家代码写法不同，结果也不同。' },
    form: { label: '形式', doc: '排在查询后面的键怎么办。' },
    layout: { label: '配对', doc: '哪两个通道组成一对，一起旋转。' },
    rotary_dim: { label: '旋转宽度', doc: '一个头里参加旋转的通道数；其余的不知道位置。' },
    max_position: { label: '表长', doc: '位置表有多少行；再往后没有位置。' },
    max_distance: { label: '最远距离', doc: '再远的距离都算作这一个。' },
    seed: { label: '表的种子', doc: '这张表是随机的，没有训练过；种子决定是哪一张。' },
    stddev: { label: '标准差 σ', doc: '这些随机数散开的程度。' },
    scale: { label: '缩放', doc: '乘在位置上的系数。' },
    height: { label: '图像高', doc: '图像有多少行块。' },
    width: { label: '图像宽', doc: '图像有多少列块。' },
    mlp_width: { label: '隐层宽度', doc: '生成偏置的小网络，每个隐层有多少个数。' },
    window_height: { label: '窗口高', doc: '一个窗口有多少行块。' },
    window_width: { label: '窗口宽', doc: '一个窗口有多少列块。' },
    clamp_len: { label: '最远距离', doc: '再远的距离都算作这一个；0 表示不设上限。' },
    max_a: { label: 'a 的上限', doc: '每个头有自己的 a，在 0 和它之间随机取。' },
    max_p: { label: 'p 的上限', doc: '每个头有自己的 p，在 0 和它之间随机取。' },

    'sinusoidal.convention': { label: '排列', doc: '正弦和余弦怎么排，指数怎么分。' },
    'sinusoidal.theta': { doc: '波长从 2π 个词起，最长约 2π·θ 个词。' },
    position_offset: { label: '首个位置', doc: '加在每个位置上；fairseq 和 M2M100 是 2，排在填充词之后，别家是 0。' },
    padding_idx: { label: '填充行', doc: '这个位置的一行全是 0；fairseq 和 M2M100 是 1，−1 表示没有。' },
    'sinusoidal.scale': { label: '行的缩放', doc: '乘在每一行上；论文里是 1，x-transformers 从 d_model^(−1/2) 学起。' },
    embedding_scale: { label: '词向量缩放', doc: '加上位置之前，词向量先怎么处理。' },

    'learned.stddev': { doc: '这些随机数散开的程度；词向量的是 1。' },
    'learned.position_offset': {
      label: '首行',
      doc: '位置 0 用表的第几行；OPT 和 RoBERTa 是 2，前两行留给填充，别家是 0。',
    },
    l2norm: { label: '单位长度', doc: '每一行都除以自己的长度（x-transformers 的一个选项）。' },
    'learned.scale': { label: '行的缩放', doc: '乘在每一行上；GPT-2 和 BERT 是 1，x-transformers 是 d_model^(−1/2)。' },

    'sincos2d.convention': { doc: '行和列哪个在前，正弦和余弦怎么排，块从几数起。' },
    'sincos2d.theta': { doc: '沿每个轴，波长从 2π 块起，最长约 2π·θ 块。' },
    'sincos2d.height': { doc: '图像有多少行块；整个高度正好是一圈。' },
    'sincos2d.width': { doc: '图像有多少列块；整个宽度正好是一圈。' },

    partial: { label: '其余通道', doc: '旋转宽度小于头的宽度时，频率怎么算，哪些对不转。' },
    scaling: { label: '长文缩放', doc: '句子比训练时长，频率怎么改，才能外推。' },
    factor: { label: '倍数', doc: '句子是训练时的多少倍长。' },
    original_max_position: { label: '训练窗口', doc: '模型训练时见过的最长句子。' },
    'rope.max_position': {
      label: '扩展窗口',
      doc: '扩展以后的最长句子，不填就是倍数乘训练窗口；LongRoPE 用它和训练窗口之比算幅度，DeepSeek 只在它更长时才缩放。',
    },
    beta_fast: { label: '快对界限', doc: '在训练窗口里转得比这更多圈的对，频率不变。' },
    beta_slow: { label: '慢对界限', doc: '在训练窗口里转不到这么多圈的对，按整个倍数放慢。' },
    truncate: { label: '取整到对', doc: '快慢的分界向外取整到整对；gpt-oss 不取整。' },
    attention_factor: { label: '幅度', doc: '直接给出余弦和正弦的幅度；不填就由别的参数算出。' },
    mscale: {
      label: 'mscale',
      doc: '幅度里对数项的权重；YaRN 只在它和 mscale_all_dim 都不是 0 时才用它，DeepSeek 不填就是 1。',
    },
    mscale_all_dim: {
      label: 'mscale_all_dim',
      doc: '余弦和正弦的幅度要除以由它算出的幅度；DeepSeek 再把后者平方，乘在分数上，不填就等于 mscale。',
    },
    short_factor: { label: '短文系数', doc: '句子没超出训练窗口时，每一对按自己的系数放慢；留空则全是 1。' },
    long_factor: { label: '长文系数', doc: '句子超出训练窗口时，所有词都改用这一组系数；留空则全是 1。' },
    low_freq_factor: { label: '慢对界限', doc: '在训练窗口里转不到这么多圈的对，按整个倍数放慢。' },
    high_freq_factor: { label: '快对界限', doc: '在训练窗口里转得比这更多圈的对，频率不变。' },
    freq_scale: { label: '频率缩放', doc: '乘在频率上，等于 1 除以倍数；这是 ggml 的叫法。' },
    ext_factor: { label: '外推程度', doc: '快对保留多少原来的频率：1 全保留，0 不保留，也就是线性插值。' },
    attn_factor: { label: '幅度系数', doc: '再乘在余弦和正弦的幅度上。' },

    scale_base: { label: '衰减距离', doc: '到了这个距离，第 0 对缩小到 γ/(1+γ)；越小，忘得越快。' },
    gamma: { label: 'γ', doc: '每过一个衰减距离，第 0 对乘以 γ/(1+γ)；γ 越大，衰减越缓。' },
    centre: { label: '中心', doc: '查询和键在哪个位置长度不变；它改变向量，不改变分数。' },
    'xpos.rotary_dim': { doc: '一个头里参加旋转和衰减的通道数；其余的不知道位置。' },

    order: { label: '轴的次序', doc: '每一对沿时间、高、宽中的哪个轴旋转。' },
    mrope_section: {
      label: '各轴分段',
      doc: '时间、高、宽各占多少对；留空则按 Qwen2-VL 的 2:3:3 分，交错时按 Qwen3-VL 的 6:5:5 分。',
    },
    'mrope.theta': {
      doc: '第 0 对每过一个词转 1 弧度，最后一对约转 1/θ 弧度；Qwen2-VL 用 10⁶，Qwen3-VL 用 5·10⁶。',
    },

    'rope_2d.convention': { doc: '哪些对按行、哪些对按列旋转，频率怎么分，哪两个通道组成一对。' },
    frequencies: { label: '频率', doc: '一个轴上的各对，分别转多快。' },
    'rope_2d.theta': {
      doc: '一个轴的第一对每过一个单位转 1 弧度，最后一对约转 1/θ 弧度；DINOv3 和 rope-vit 用 100。',
    },
    max_freq: { label: '最高频率', doc: '从图像的一边到另一边，最后一对转它的一半那么多圈。' },
    coordinates: { label: '坐标', doc: '旋转的角度与什么成正比。' },
    'rope_2d.scale': {
      label: '位置缩放',
      doc: 'EVA-02 取预训练时每边的块数除以现在每边的块数，图像切得再细，总角度也不变。',
    },
    'rope_2d.height': { doc: '图像有多少行块；坐标就在这个范围里变化。' },
    'rope_2d.width': { doc: '图像有多少列块；坐标就在这个范围里变化。' },
    'rope_2d.rotary_dim': { doc: '一个头里参加旋转的通道数，行和列各一半；其余的不知道位置。' },

    'rope_mixed.theta': { doc: '训练之前，第一对每过一块转 1 弧度，最后一对约转 1/θ 弧度。' },
    'rope_mixed.seed': { label: '方向种子', doc: '这些方向是随机的，没有训练过；种子决定是哪一组。' },

    'alibi.form': { doc: '距离怎么变成扣分，排在查询后面的键怎么办。' },
    bias_max: { label: '斜率范围', doc: '有 n 个头（n 是 2 的幂）时，斜率从 2^(−范围/n) 到 2^(−范围)。' },

    bidirectional: { label: '区分前后', doc: '前面和后面的键各有各的桶；关掉时，后面的键都归入第 0 桶。' },
    num_buckets: { label: '桶数', doc: '距离分成多少个桶；同一桶里的距离分不开。' },
    't5_bias.max_distance': { doc: '从这里起，所有距离都归入最后一桶。' },

    'kerple_log.convention': { doc: '幂写在公式的什么地方。' },
    'kerple_log.max_a': { doc: '每个头有自己的 a，在 0 和它之间随机取；a 越大，扣分开始得越早。' },
    'kerple_log.max_p': { doc: '每个头有自己的 p，在 0 和它之间随机取；p 越大，扣分越多。' },
    'kerple_log.seed': { label: '参数种子', doc: '这些参数是随机的，没有训练过；种子决定是哪一组。' },
    'kerple_power.convention': { doc: '指数也学，还是固定为 1。' },
    'kerple_power.max_a': { doc: '每个头有自己的 a，在 0 和它之间随机取；a 就是距离为 1 时的扣分。' },
    'kerple_power.max_p': { doc: '每个头有自己的指数 p，在 0 和它之间随机取；p 为 1 时，扣分和 ALiBi 一样。' },
    'kerple_power.seed': { label: '参数种子', doc: '这些参数是随机的，没有训练过；种子决定是哪一组。' },

    'sandwich.width': { label: '宽度', doc: '相加的余弦个数的两倍；越大，扣分越多。' },
    'sandwich.theta': { doc: '最长的波长约 2π·θ 个词。' },

    threshold: { label: '阈值 L', doc: '距离按占它的比例来算；查询的位置超过它以后，按占查询位置的比例来算。' },
    'fire.seed': { label: '网络种子', doc: '这个网络是随机的，没有训练过；种子决定是哪一个。' },
    'fire.stddev': { label: '输出幅度 σ', doc: '从最近到最远，随机网络的输出变化有多大。' },

    log_distance: { label: '取对数', doc: '网络读入的是距离的对数，正负号不变。' },
    depth: { label: '隐层数', doc: '小网络有几个隐层。' },
    'dynamic_position_bias.seed': { label: '网络种子', doc: '这个网络是随机的，没有训练过；种子决定是哪一个。' },
    'dynamic_position_bias.stddev': { label: '输出幅度 σ', doc: '随机网络的输出变化有多大。' },

    'swin_bias.window_height': { doc: '一个窗口有多少行块；行距共有 2·高 − 1 种。' },
    'swin_bias.window_width': { doc: '一个窗口有多少列块；句子只有一行，再长就没有偏置了。' },

    'swin_v2_bias.window_height': { doc: '一个窗口有多少行块；最远的行距换算成 log₂(9)/3。' },
    pretrained_height: { label: '训练窗口高', doc: '模型训练时，窗口有多少行块；0 表示和现在一样。' },
    pretrained_width: { label: '训练窗口宽', doc: '模型训练时，窗口有多少列块；0 表示和现在一样。' },
    'swin_v2_bias.seed': { label: '网络种子', doc: '这个网络是随机的，没有训练过；种子决定是哪一个。' },
    'swin_v2_bias.stddev': { label: '输出幅度 σ', doc: '随机网络的输出变化有多大；偏置本身总在 0 和 16 之间。' },

    'shaw.convention': { doc: '太远的距离截不截断；距离的向量除了查询，还和谁相乘。' },
    'shaw.max_distance': { doc: '从这里起，所有距离共用一个向量，前后两个方向各一个。' },
    'shaw.max_position': { label: '最长句子', doc: '相隔太远、超出这张表的词没有向量，不能编码。' },
    'shaw.stddev': { doc: '这些随机数散开的程度；键的是 1。' },

    'transformer_xl.seed': { label: '权重种子', doc: '这些权重是随机的，没有训练过；种子决定是哪一组。' },
    'transformer_xl.stddev': { doc: '距离的向量 W·r 散开的程度；键的是 1。' },
    'xlnet.clamp_len': { doc: '前后两个方向上，再远的距离都算作这一个；0 表示不设上限。' },
    'xlnet.seed': { label: '权重种子', doc: '这些权重是随机的，没有训练过；种子决定是哪一组。' },
    'xlnet.stddev': { doc: '距离的向量 W·r 散开的程度；键的是 1。' },

    'deberta.convention': { doc: '哪些距离共用向量；对键来说，距离从哪一头算起。' },
    terms: { label: '乘积', doc: '除了查询乘键，还加哪几项；总分要除以项数的平方根。' },
    bucket_size: { label: '桶数', doc: '每个方向有多少个桶；较近的一半，每桶只装一个距离。' },
    'deberta.max_position': { label: '最远距离', doc: '大约从这里起，同一方向的距离共用最后一个向量。' },
    'deberta.stddev': { doc: '这些随机数散开的程度；键的是 1。' },

    gates: { label: '数哪些键', doc: '哪些键可以计入位置；只看前文时，两种一样。' },
    'cope.max_position': { doc: '位置表有多少行；再远的位置都用最后一行。' },
    'cope.stddev': { doc: '这些随机数散开的程度；查询的是 1。' },
  },
  choices: {
    'sinusoidal.convention.interleaved': '交错',
    'sinusoidal.convention.concatenated': '拼接',
    'sinusoidal.convention.concatenated_half_1': '拼接（half − 1）',
    'embedding_scale.one': '原样',
    'embedding_scale.sqrt_d_model': '乘 √d_model',
    'sincos2d.convention.mae': 'MAE',
    'sincos2d.convention.detr': 'DETR',
    'sincos2d.convention.detr_counted': 'DETR，不归一',
    'layout.interleaved': '相邻',
    'layout.half': '前后半',
    'layout.interleaved_to_half': '相邻 → 前后半',
    'partial.rotary_dim': '头变窄',
    'partial.proportional': '慢对不转',
    'scaling.none': '不缩放',
    'scaling.linear': '线性插值',
    'scaling.ntk': 'NTK',
    'scaling.dynamic': '动态 NTK',
    'scaling.ntk_by_parts': '分段 NTK',
    'scaling.yarn': 'YaRN',
    'scaling.yarn_deepseek': 'YaRN（DeepSeek）',
    'scaling.yarn_ggml': 'YaRN（ggml）',
    'scaling.longrope': 'LongRoPE',
    'scaling.llama3': 'Llama 3',
    'centre.torchscale': '⌈n/2⌉',
    'centre.lucidrains': '⌊n/2⌋',
    'centre.none': '0',
    'order.contiguous': '连续 T..H..W..',
    'order.interleaved': '交错 THWTHW..',
    'order.interleaved_ggml': '交错 THWTHW..（ggml）',
    'rope_2d.convention.qwen2_vl': 'Qwen2-VL、DINOv3',
    'rope_2d.convention.pixtral': 'Pixtral',
    'rope_2d.convention.chatglm': 'ChatGLM',
    'rope_2d.convention.eva02': 'EVA-02、lucidrains',
    'rope_2d.convention.llama4': 'Llama-4、rope-vit',
    'frequencies.geometric': '等比',
    'frequencies.linear': '等差',
    'coordinates.index': '行列号',
    'coordinates.centres': '块的中心，−2π … 2π',
    'coordinates.edges': '边到边，−1 … 1',
    'form.symmetric': '对称',
    'form.causal': '只罚前文',
    'form.key_index': '按键',
    'form.falcon': 'Falcon',
    'fire.form.causal': '只量前文',
    'kerple_log.convention.original': '论文',
    'kerple_log.convention.nemo': 'NeMo',
    'kerple_power.convention.power': '幂',
    'kerple_power.convention.linear': '线性',
    'shaw.convention.paper': '论文',
    'shaw.convention.opennmt': 'OpenNMT',
    'shaw.convention.bert_key': 'BERT，键',
    'shaw.convention.bert_key_query': 'BERT，键和查询',
    'deberta.convention.log_buckets': '对数分桶',
    'deberta.convention.clipped': '截断',
    'deberta.convention.paper': '论文',
    'terms.both': '两项都加',
    'terms.c2p': '内容 → 位置',
    'terms.p2c': '位置 → 内容',
    'gates.up_to_query': '到查询为止',
    'gates.visible': '看得见的键',
  },
  units: {
    tokens: '词',
    positions: '个',
    channels: '个',
    patches: '块',
    pairs: '对',
    rotations: '圈',
    logits: '分',
    '1/token': '1/词',
  },

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
  readerWeights: ({ source, steps, seed, layer, head }) =>
    `权重：「谁追谁？」的读者，${source === 'here' ? '在这里训练了' : '训练了'} ${steps} 步，种子 ${seed}，第 ${layer} 层，头 ${head}。除了词，它还看得见一个开头和两个问题。`,
  noReaderWeights: '这种编码没有训练过的读者。',
  why: '为什么？',
  whyText: {
    reader:
      '这是一个小 Transformer 的一个注意力头，它学会了指出是谁做的、对谁做的。它看哪里，是因为看那里有助于回答，所以这里的变化是有意义的。由编码本身决定的零，训练也改不了。',
    seeded:
      '这一层没有训练过。词向量、W_Q、W_K 随机取定就不再动，所以看到的变化全部来自位置。训练过的权重会给出别的数字；由编码本身决定的零，仍然是零。',
  },

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
    seeded: '这些卡片用的是随机权重，不是读者的权重。',
    working: '正在计算',
  },

  reader: zhReader,

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
      g: '权重',
      l: '层',
      ts: '训练的种子',
      tn: '训练的步数',
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
