/** Keys of config.json files that say nothing about positions: one remark lists those that are there. */
export const kElsewhere: ReadonlySet<string> = new Set(
  `_attn_implementation _commit_hash _from_model_config _name_or_path _num_labels activation_dropout
  activation_function add_bias_linear add_cross_attention add_final_layer_norm add_qkv_bias
  apply_query_key_layer_scaling apply_residual_connection_post_layernorm architectures attention_bias
  attention_dropout attention_logit_cap attention_probs_dropout_prob attention_softmax_in_fp32
  attn_implementation attn_logit_softcapping attn_pdrop attn_scale attn_temperature_tuning auto_map
  aux_loss_alpha bad_words_ids begin_suppress_tokens bi_data bias bias_dropout_fusion boi_token_index
  bos_token_id cache_implementation chunk_size_feed_forward classifier_activation classifier_bias
  classifier_dropout classifier_pooling clip_qkv d_ff d_inner decoder_attention_heads decoder_bias
  decoder_ffn_dim decoder_layerdrop decoder_layers decoder_sparse_step decoder_start_token_id decoder_vocab_size
  dense_act_fn do_layer_norm_before do_sample drop_path_rate dropout dropout_rate dtype early_stopping emb_pdrop
  embd_layer embd_pdrop embedding_dropout embedding_multiplier embedding_size encoder_ffn_dim encoder_layerdrop
  encoder_layers encoder_stride end_n_top eoi_token_index eos_token_id ep_size expansion_ratio feed_forward_proj
  ff_activation ffn_config ffn_dim ffn_dim_multiplier ffn_hidden_size final_logit_softcapping finetuning_task
  first_k_dense_replace floor_scale forced_bos_token_id forced_decoder_ids forced_eos_token_id
  fp32_residual_connection gradient_checkpointing hidden_act hidden_activation hidden_dropout
  hidden_dropout_prob id2label image_size image_token_id image_token_index init_device init_std
  initial_context_length initializer_cutoff_factor initializer_factor initializer_range inner_group_num
  input_router_jitter_noise interleave_moe_layer_step intermediate_size intermediate_size_mlp is_decoder
  is_encoder_decoder is_gated_act kv_lora_rank kv_n_heads label2id layer_norm_eps layer_norm_epsilon layerdrop
  layernorm_epsilon learned_pos_emb length_penalty lm_head_bias logit_scale logits_scaling logits_soft_cap
  max_length median_filter_width mem_len min_length mlp_bias mlp_dropout mlp_layer_sizes mlp_only_layers
  mlp_ratio mm_tokens_per_image model_max_length model_type moe_intermediate_size moe_layer_freq moe_layers
  multi_query multi_query_attention multi_query_group_num n_group n_head_kv n_inner n_routed_experts
  n_shared_experts new_decoder_architecture no_bias no_repeat_ngram_size norm_bias norm_eps norm_epsilon
  norm_topk_prob norm_type normalize_before normalize_embedding num_beams num_channels num_decoder_layers
  num_experts num_experts_per_tok num_hidden_groups num_key_value_heads num_kv_heads num_labels num_layers num_hidden_layers n_layer n_layers
  num_ln_in_parallel_attn num_local_experts num_mel_bins num_nextn_predict_layers num_return_sequences
  offset_alibi onnx_safe original_rope out_indices output_attentions output_hidden_states output_past
  output_router_logits pad_token_id padded_vocab_size padding_idx parallel_attn patch_size pooler_dropout
  pooler_hidden_act pooler_hidden_size post_layer_norm pre_seq_len prefix prefix_projection pretraining_tp
  problem_type q_lora_rank qk_layernorm qkv_bias quantization_bit quantization_config query_pre_attn_scalar
  reduction_type remove_invalid_values reorder_and_upcast_attn repetition_penalty resid_pdrop residual_dropout
  residual_multiplier return_dict return_dict_in_generate rms_norm_eps rmsnorm routed_scaling_factor
  router_aux_loss_coef router_jitter_noise same_length scale_attention_softmax_in_fp32
  scale_attn_by_inverse_layer_idx scale_attn_weights scale_embedding scoring_func sep_token_id seq_aux
  share_att_key shared_expert_intermediate_size skip_bias_add slow_but_exact sparse_pred_reg start_n_top
  static_position_embeddings summary_activation summary_first_dropout summary_last_dropout
  summary_proj_to_labels summary_type summary_use_proj suppress_tokens swiglu_alpha swiglu_limit
  task_specific_params temperature text_config tf_legacy_loss tie_encoder_decoder tie_weights_
  tie_word_embeddings tokenizer_class top_k top_p topk_group topk_method torch_dtype torchscript
  transformers_version type_vocab_size unk_token_id untie_r use_attn_mask use_bfloat16 use_bias use_cache
  use_flash_attn use_logn_attn use_parallel_residual use_pooler use_qk_norm v_head_dim video_token_id
  vision_end_token_id vision_start_token_id vocab_file vocab_size word_embed_proj_dim xla_device z_loss_weight`.split(
    /\s+/,
  ),
);

/** Keys that do say something about positions, for the remark when a model does not read them. */
export const kPositional: ReadonlySet<string> = new Set(
  `alibi alibi_bias_max attention_chunk_size attn_config attn_type clamp_len d_head d_kv d_model
  global_attn_every_n_layers global_rope_theta head_dim hidden_size kv_channels layer_types local_attention
  local_rope_theta max_position_embeddings max_relative_positions max_seq_len max_sequence_length
  max_source_positions max_target_positions max_window_layers mrope_interleaved mrope_section n_ctx n_embd
  n_head n_heads n_positions no_rope_layer_interval no_rope_layers num_attention_heads
  num_heads original_max_position_embeddings partial_rotary_factor pos_att_type
  position_biased_input position_buckets position_embedding_type position_encoding_2d pretrained_window_sizes
  qk_head_dim qk_nope_head_dim qk_rope_head_dim relative_attention relative_attention_max_distance
  relative_attention_num_buckets rope_interleave rope_local_base_freq rope_parameters rope_pct rope_ratio
  rope_scaling rope_theta rotary rotary_dim rotary_emb_base rotary_pct seq_length sliding_window
  sliding_window_pattern use_absolute_embeddings use_dynamic_ntk use_mrope use_sliding_window window_size`.split(/\s+/),
);

/** The positional key that a misspelt one is closest to, if any is close. */
export function nearestKey(key: string): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll('_', '');
  const wanted = plain(key);
  return [...kPositional].find((known) => isClose(wanted, plain(known)));
}

/** Whether one edit, or two in a long word, turn one text into the other. */
function isClose(a: string, b: string): boolean {
  const allowed = Math.min(a.length, b.length) > 8 ? 2 : Math.min(a.length, b.length) > 5 ? 1 : 0;
  if (Math.abs(a.length - b.length) > allowed) return false;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return (row[b.length] ?? Infinity) <= allowed;
}
