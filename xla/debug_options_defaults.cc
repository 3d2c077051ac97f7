// SPDX-License-Identifier: Apache-2.0
// What DebugOptions are if no flag is set: XLA's values of revision 5a9e73cb, on x86-64 without
// CUDA.
#include "absl/status/status.h"
#include "google/protobuf/descriptor.h"
#include "xla/base/check.h"
#include "xla/base/text_format.h"
#include "xla/debug_options_flags.h"

namespace xla {
namespace {

// Those that are true.
constexpr const char* kTrue[] = {
    "xla_allow_excess_precision",
    "xla_cpu_enable_fast_min_max",
    "xla_cpu_enable_platform_dependent_math",
    "xla_cpu_fast_math_honor_division",
    "xla_cpu_fast_math_honor_functions",
    "xla_cpu_fast_math_honor_infs",
    "xla_cpu_fast_math_honor_nans",
    "xla_cpu_ftz",
    "xla_cpu_multi_thread_eigen",
    "xla_cpu_use_fusion_emitters",
    "xla_cpu_use_xnnpack",
    "xla_detailed_logging",
    "xla_dump_buffer_assignment_analysis",
    "xla_dump_enable_mlir_pretty_form",
    "xla_dump_full_hlo_config",
    "xla_dump_hlo_as_long_text",
    "xla_eliminate_hlo_implicit_broadcast",
    "xla_enable_dumping",
    "xla_enable_rgv3_materialization",
    "xla_enable_scoped_logging_timers",
    "xla_gpu_cublas_fallback",
    "xla_gpu_enable_analytical_sol_latency_estimator",
    "xla_gpu_enable_cub_radix_sort",
    "xla_gpu_enable_cublaslt",
    "xla_gpu_enable_cudnn_int8x32_convolution_reordering",
    "xla_gpu_enable_highest_priority_async_stream",
    "xla_gpu_enable_nccl_comm_splitting",
    "xla_gpu_enable_pdl",
    "xla_gpu_enable_pipelined_reduce_scatter",
    "xla_gpu_enable_reassociation_for_converted_ar",
    "xla_gpu_enable_triton_gemm",
    "xla_gpu_executable_embed_debug_info",
    "xla_gpu_experimental_aot_compiled_thunks",
    "xla_gpu_experimental_enable_fusion_autotuner",
    "xla_gpu_experimental_pack_dot_operands_along_k_dimension",
    "xla_gpu_experimental_ragged_all_to_all_use_barrier",
    "xla_gpu_experimental_ragged_all_to_all_zero_copy",
    "xla_gpu_experimental_scaled_dot_with_triton",
    "xla_gpu_experimental_stream_annotation",
    "xla_gpu_experimental_use_ragged_dot_grouped_gemm",
    "xla_gpu_filter_kernels_spilling_registers_on_autotuning",
    "xla_gpu_multi_streamed_windowed_einsum",
    "xla_gpu_nccl_blocking_communicators",
    "xla_gpu_shard_autotuning",
    "xla_gpu_triton_gemm_any",
    "xla_gpu_unsupported_use_all_reduce_one_shot_kernel",
    "xla_gpu_unsupported_use_ragged_all_to_all_one_shot_kernel",
    "xla_llvm_enable_alias_scope_metadata",
    "xla_llvm_enable_invariant_load_metadata",
    "xla_llvm_enable_noalias_metadata",
    "xla_llvm_force_inline_before_split",
};

// The others that are not zero, in protobuf's text format.
constexpr char kOthers[] = R"(
  xla_backend_optimization_level: 3
  xla_cmd_buffer_trace_cache_size: 16
  xla_cpu_collective_call_terminate_timeout_seconds: 40
  xla_cpu_collective_call_warn_stuck_seconds: 20
  xla_cpu_collective_timeout_seconds: 1800
  xla_cpu_experimental_ynn_fusion_type: LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT
  xla_cpu_experimental_ynn_fusion_type: LIBRARY_FUSION_TYPE_INDIVIDUAL_CONVOLUTION
  xla_cpu_experimental_ynn_fusion_type: LIBRARY_FUSION_TYPE_REDUCE
  xla_cpu_parallel_codegen_split_count: 32
  xla_cpu_prefer_vector_width: 256
  xla_debug_buffer_assignment_show_max: 15
  xla_dump_max_hlo_modules: -1
  xla_force_host_platform_device_count: 1
  xla_gpu_all_gather_combine_threshold_bytes: 31457287
  xla_gpu_all_gather_mode: COLLECTIVES_PRIVATE_MEMORY
  xla_gpu_all_reduce_combine_threshold_bytes: 31457287
  xla_gpu_auto_spmd_partitioning_memory_budget_ratio: 1.1
  xla_gpu_autotune_gemm_rtol: 0.1
  xla_gpu_autotune_level: 4
  xla_gpu_collective_combine_threshold_count: 2048
  xla_gpu_collective_inflation_factor: 1
  xla_gpu_collective_permute_combine_threshold_bytes: 31457287
  xla_gpu_collective_permute_decomposer_threshold: 9223372036854775807
  xla_gpu_collective_permute_mode: COLLECTIVES_PRIVATE_MEMORY
  xla_gpu_command_buffer_scheduling_mode: LHS
  xla_gpu_cuda_data_dir: "./cuda_sdk_lib"
  xla_gpu_cudnn_gemm_max_plans: 5
  xla_gpu_deviceless_cub_mode: DEVICELESS_CUB_WITH_FALLBACK
  xla_gpu_dot_merger_threshold_mb: 64
  xla_gpu_enable_command_buffer: CONDITIONAL
  xla_gpu_enable_command_buffer: CUBLAS
  xla_gpu_enable_command_buffer: CUBLASLT
  xla_gpu_enable_command_buffer: CUDNN
  xla_gpu_enable_command_buffer: CUSTOM_CALL
  xla_gpu_enable_command_buffer: DYNAMIC_SLICE_FUSION
  xla_gpu_enable_command_buffer: FUSION
  xla_gpu_enable_while_loop_unrolling: WHILE_LOOP_UNROLLING_AUTO_UNROLL
  xla_gpu_executable_terminate_timeout_seconds: 30
  xla_gpu_executable_warn_stuck_timeout_seconds: 10
  xla_gpu_execution_terminate_timeout: "inf"
  xla_gpu_experimental_autotune_cache_mode: AUTOTUNE_CACHE_MODE_UPDATE
  xla_gpu_experimental_max_unroll_factor: 32
  xla_gpu_experimental_parallel_async_compute_limit: 2
  xla_gpu_experimental_parallel_collective_overlap_limit: 1
  xla_gpu_first_collective_call_terminate_timeout_seconds: 40
  xla_gpu_first_collective_call_warn_stuck_timeout_seconds: 20
  xla_gpu_fusion_autotune_top_k_configs: 1
  xla_gpu_gemm_rewrite_size_threshold: 100
  xla_gpu_graph_min_graph_size: 5
  xla_gpu_memory_limit_slop_factor: 95
  xla_gpu_nccl_termination_timeout_seconds: -1
  xla_gpu_operand_bytes_threshold_for_windowed_einsum: -1
  xla_gpu_pgle_accuracy_checker: PGLE_STRICTNESS_LEVEL_WARN
  xla_gpu_ragged_all_to_all_mode: COLLECTIVES_PRIVATE_MEMORY
  xla_gpu_reduce_scatter_combine_threshold_bytes: 31457287
  xla_gpu_redzone_padding_bytes: 8388608
  xla_gpu_rocm_max_trace_events: 4194304
  xla_gpu_shape_checks: RUNTIME
  xla_gpu_threshold_for_windowed_einsum_mib: 100000
  xla_multiheap_size_constraint_per_heap: -1
  xla_reduce_window_rewrite_base_length: 16
)";

DebugOptions MakeDefaults() {
  DebugOptions options;
  XLA_CHECK_OK(ParseTextFormat(kOthers, options));
  // Not as text: protobuf's map_field.h has more members under ThreadSanitizer than the system's
  // library knows.
  for (const char* name : {"chunk_prep_us", "chunk_size_bytes", "gpus_per_node",
                           "nccl_op_launch_us", "nic_speed_gbps", "rtt_us"}) {
    (*options.mutable_xla_gpu_analytical_latency_estimator_options())[name] = "-1";
  }
  for (const char* name : kTrue) {
    options.GetReflection()->SetBool(&options, DebugOptions::descriptor()->FindFieldByName(name),
                                     true);
  }
  return options;
}

}  // namespace

DebugOptions DefaultDebugOptionsIgnoringFlags() {
  static const DebugOptions* const defaults = new DebugOptions(MakeDefaults());
  return *defaults;
}

}  // namespace xla
