// Each operation that HLO has, too, in generic form.
"builtin.module"() ({
  "func.func"() ({
  ^bb1(%0: tensor<4xf32>, %1: tensor<4x6xf32>, %2: tensor<2x4x6x8xf32>, %3: tensor<8xf32>, %4: tensor<2x2x3x8xf32>, %5: tensor<3x3x4x16xf32>, %6: tensor<1x1x8x16xf32>, %7: tensor<3x6x5xf32>, %8: tensor<4x4xf32>):
    %9 = "stablehlo.broadcast_in_dim"(%0) {broadcast_dimensions = array<i64: 1>} : (tensor<4xf32>) -> tensor<3x4xf32>
    %10 = "stablehlo.concatenate"(%1, %1) {dimension = 0 : i64} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %11 = "stablehlo.constant"() {value = dense<0.0e+00> : tensor<f32>} : () -> tensor<f32>
    %12 = "stablehlo.pad"(%1, %11) {edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 2, -1>, interior_padding = array<i64: 0, 1>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<7x10xf32>
    %13 = "stablehlo.reshape"(%1) : (tensor<4x6xf32>) -> tensor<2x12xf32>
    %14 = "stablehlo.reverse"(%1) {dimensions = array<i64: 0, 1>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %15 = "stablehlo.transpose"(%1) {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %16 = "stablehlo.get_dimension_size"(%1) {dimension = 1 : i64} : (tensor<4x6xf32>) -> tensor<i32>
    %17 = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %18 = "stablehlo.set_dimension_size"(%1, %17) {dimension = 1 : i64} : (tensor<4x6xf32>, tensor<i32>) -> tensor<4x?xf32, #stablehlo.type_extensions<bounds = array<i64: -9223372036854775808, 6>>>
    %19 = "stablehlo.dynamic_slice"(%1, %17, %17) {slice_sizes = array<i64: 2, 3>} : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %20 = "stablehlo.slice"(%1) {start_indices = array<i64: 1, 0>, limit_indices = array<i64: 3, 4>, strides = array<i64: 1, 2>} : (tensor<4x6xf32>) -> tensor<2x2xf32>
    %21 = "stablehlo.dynamic_update_slice"(%1, %20, %17, %17) : (tensor<4x6xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
    %22 = "stablehlo.constant"() {value = dense<[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]> : tensor<4x3xi32>} : () -> tensor<4x3xi32>
    %23 = "stablehlo.gather"(%1, %22) {dimension_numbers = #stablehlo.gather<offset_dims = array<i64>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 1>, index_vector_dim = 2 : i64>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>} : (tensor<4x6xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
    %24 = "stablehlo.constant"() {value = dense<[[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<5x2xi32>} : () -> tensor<5x2xi32>
    %25 = "stablehlo.gather"(%1, %24) {dimension_numbers = #stablehlo.gather<offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0, 1>, index_vector_dim = 1 : i64>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>} : (tensor<4x6xf32>, tensor<5x2xi32>) -> tensor<5x2xf32>
    %26 = "stablehlo.scatter"(%1, %24, %25) ({
    ^bb2(%27: tensor<f32>, %28: tensor<f32>):
      %29 = "stablehlo.add"(%27, %28) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%29) : (tensor<f32>) -> ()
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 1>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0, 1>, index_vector_dim = 1 : i64>, indices_are_sorted = true, unique_indices = true} : (tensor<4x6xf32>, tensor<5x2xi32>, tensor<5x2xf32>) -> tensor<4x6xf32>
    %30, %31, %32 = "stablehlo.batch_norm_grad"(%2, %3, %3, %3, %2) {epsilon = 1.0000000474974513e-03 : f32, feature_index = 3 : i64} : (tensor<2x4x6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2x4x6x8xf32>) -> (tensor<2x4x6x8xf32>, tensor<8xf32>, tensor<8xf32>)
    %33 = "stablehlo.batch_norm_inference"(%2, %3, %3, %3, %3) {epsilon = 1.0000000474974513e-03 : f32, feature_index = 3 : i64} : (tensor<2x4x6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x6x8xf32>
    %34, %35, %36 = "stablehlo.batch_norm_training"(%2, %3, %3) {epsilon = 5.0e-01 : f32, feature_index = 3 : i64} : (tensor<2x4x6x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x4x6x8xf32>, tensor<8xf32>, tensor<8xf32>)
    %37 = "stablehlo.reduce"(%1, %11) ({
    ^bb3(%38: tensor<f32>, %39: tensor<f32>):
      %40 = "stablehlo.add"(%38, %39) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%40) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 1>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %41 = "stablehlo.reduce_window"(%2, %11) ({
    ^bb4(%42: tensor<f32>, %43: tensor<f32>):
      %44 = "stablehlo.add"(%42, %43) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%44) : (tensor<f32>) -> ()
    }) {window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 1], [1, 0], [0, 0]]> : tensor<4x2xi64>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 2, 1>, window_dimensions = array<i64: 1, 2, 3, 1>} : (tensor<2x4x6x8xf32>, tensor<f32>) -> tensor<2x3x2x8xf32>
    %45 = "stablehlo.select_and_scatter"(%2, %4, %11) ({
    ^bb5(%46: tensor<f32>, %47: tensor<f32>):
      %48 = "stablehlo.compare"(%46, %47) {comparison_direction = #stablehlo.comparison_direction<GE>, compare_type = #stablehlo.comparison_type<TOTALORDER>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%48) : (tensor<i1>) -> ()
    }, {
    ^bb6(%49: tensor<f32>, %50: tensor<f32>):
      %51 = "stablehlo.add"(%49, %50) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%51) : (tensor<f32>) -> ()
    }) {window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>} : (tensor<2x4x6x8xf32>, tensor<2x2x3x8xf32>, tensor<f32>) -> tensor<2x4x6x8xf32>
    %52 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<4x6xi32>
    %53, %54 = "stablehlo.sort"(%1, %52) ({
    ^bb7(%55: tensor<f32>, %56: tensor<f32>, %57: tensor<i32>, %58: tensor<i32>):
      %59 = "stablehlo.compare"(%55, %56) {comparison_direction = #stablehlo.comparison_direction<LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%59) : (tensor<i1>) -> ()
    }) {dimension = 1 : i64, is_stable = true} : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
    %60 = "stablehlo.convolution"(%2, %5) {window_strides = array<i64: 1, 2>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<input_batch_dimension = 0 : i64, input_feature_dimension = 3 : i64, input_spatial_dimensions = array<i64: 1, 2>, kernel_input_feature_dimension = 2 : i64, kernel_output_feature_dimension = 3 : i64, kernel_spatial_dimensions = array<i64: 0, 1>, output_batch_dimension = 0 : i64, output_feature_dimension = 3 : i64, output_spatial_dimensions = array<i64: 1, 2>>, feature_group_count = 2 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo.precision<HIGH>, #stablehlo.precision<HIGHEST>]} : (tensor<2x4x6x8xf32>, tensor<3x3x4x16xf32>) -> tensor<2x4x3x16xf32>
    %61 = "stablehlo.convolution"(%2, %6) {window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<input_batch_dimension = 0 : i64, input_feature_dimension = 3 : i64, input_spatial_dimensions = array<i64: 1, 2>, kernel_input_feature_dimension = 2 : i64, kernel_output_feature_dimension = 3 : i64, kernel_spatial_dimensions = array<i64: 0, 1>, output_batch_dimension = 0 : i64, output_feature_dimension = 3 : i64, output_spatial_dimensions = array<i64: 1, 2>>, feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<2x4x6x8xf32>, tensor<1x1x8x16xf32>) -> tensor<1x4x6x16xf32>
    %62 = "stablehlo.dot_general"(%2, %2) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = array<i64: 0, 1>, rhs_batching_dimensions = array<i64: 0, 1>, lhs_contracting_dimensions = array<i64: 3>, rhs_contracting_dimensions = array<i64: 3>>} : (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>) -> tensor<2x4x6x6xf32>
    %63 = "stablehlo.constant"() {value = dense<[1, 2, 1]> : tensor<3xi32>} : () -> tensor<3xi32>
    %64 = "stablehlo.cholesky"(%8) {lower = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %65 = "stablehlo.fft"(%2) {fft_length = array<i64: 8>, fft_type = #stablehlo.fft_type<RFFT>} : (tensor<2x4x6x8xf32>) -> tensor<2x4x6x5xcomplex<f32>>
    %66 = "stablehlo.fft"(%65) {fft_length = array<i64: 8>, fft_type = #stablehlo.fft_type<IRFFT>} : (tensor<2x4x6x5xcomplex<f32>>) -> tensor<2x4x6x8xf32>
    %67 = "stablehlo.fft"(%65) {fft_length = array<i64: 6, 5>, fft_type = #stablehlo.fft_type<IFFT>} : (tensor<2x4x6x5xcomplex<f32>>) -> tensor<2x4x6x5xcomplex<f32>>
    %68 = "stablehlo.dot_general"(%1, %1) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = array<i64>, rhs_batching_dimensions = array<i64>, lhs_contracting_dimensions = array<i64: 1>, rhs_contracting_dimensions = array<i64: 1>>, precision_config = [#stablehlo.precision<DEFAULT>, #stablehlo.precision<HIGHEST>]} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x4xf32>
    %69 = "stablehlo.triangular_solve"(%8, %68) {left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo.transpose<TRANSPOSE>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %70 = "stablehlo.constant"() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
    %71 = "stablehlo.rng"(%11, %11, %70) {rng_distribution = #stablehlo.rng_distribution<UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
    %72 = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xui64>} : () -> tensor<2xui64>
    %73, %74 = "stablehlo.rng_bit_generator"(%72) {rng_algorithm = #stablehlo.rng_algorithm<PHILOX>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
    %75 = "stablehlo.compare"(%1, %1) {comparison_direction = #stablehlo.comparison_direction<NE>, compare_type = #stablehlo.comparison_type<TOTALORDER>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %76 = "stablehlo.reduce_precision"(%1) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %77 = "stablehlo.exponential"(%0) {result_accuracy = #stablehlo.result_accuracy<atol = 0.0e+00 : f64, rtol = 0.0e+00 : f64, ulps = 0 : i64, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<4xf32>) -> tensor<4xf32>
    %78 = "func.call"(%0) {callee = @negate} : (tensor<4xf32>) -> tensor<4xf32>
    %79, %80 = "stablehlo.while"(%17, %0) ({
    ^bb8(%81: tensor<i32>, %82: tensor<4xf32>):
      %83 = "stablehlo.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
      %84 = "stablehlo.compare"(%81, %83) {comparison_direction = #stablehlo.comparison_direction<LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%84) : (tensor<i1>) -> ()
    }, {
    ^bb9(%85: tensor<i32>, %86: tensor<4xf32>):
      %87 = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
      %88 = "stablehlo.add"(%85, %87) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%88, %86) : (tensor<i32>, tensor<4xf32>) -> ()
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    %89 = "stablehlo.case"(%17) ({
      %90 = "stablehlo.negate"(%0) : (tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%90) : (tensor<4xf32>) -> ()
    }, {
      %91 = "stablehlo.negate"(%0) : (tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%91) : (tensor<4xf32>) -> ()
    }) : (tensor<i32>) -> tensor<4xf32>
    %92 = "stablehlo.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %93 = "stablehlo.if"(%92) ({
      %94 = "stablehlo.negate"(%0) : (tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%94) : (tensor<4xf32>) -> ()
    }, {
      %95 = "stablehlo.negate"(%0) : (tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%95) : (tensor<4xf32>) -> ()
    }) : (tensor<i1>) -> tensor<4xf32>
    %96 = "stablehlo.add"(%0, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %97, %98 = "stablehlo.custom_call"(%0, %1) {call_target_name = "t", has_side_effect = true, api_version = 2 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = array<i64: 0>, operand_index = 0 : i64, operand_tuple_indices = array<i64>>], called_computations = [@negate]} : (tensor<4xf32>, tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %99 = "stablehlo.optimization_barrier"(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %100 = "stablehlo.after_all"() : () -> !stablehlo.token
    %101, %102, %103 = "stablehlo.infeed"(%100) {infeed_config = "c"} : (!stablehlo.token) -> (tensor<4xf32>, tensor<i32>, !stablehlo.token)
    %104 = "stablehlo.outfeed"(%0, %100) {outfeed_config = "d"} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %105, %106 = "stablehlo.recv"(%100) {channel_handle = #stablehlo.channel_handle<handle = 2 : i64, type = 1 : i64>, is_host_transfer = false, mhlo.frontend_attributes = {_xla_send_recv_source_target_pairs = "{{0,1}}"}} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %107 = "stablehlo.all_gather"(%1) {replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3 : i64, type = 1 : i64>, all_gather_dim = 1 : i64, use_global_device_ids} : (tensor<4x6xf32>) -> tensor<4x12xf32>
    %108, %109 = "stablehlo.all_reduce"(%0, %1) ({
    ^bb14(%110: tensor<f32>, %111: tensor<f32>):
      %112 = "stablehlo.add"(%110, %111) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%112) : (tensor<f32>) -> ()
    }) {replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 4 : i64, type = 1 : i64>, use_global_device_ids} : (tensor<4xf32>, tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4x6xf32>)
    %113 = "stablehlo.reduce_scatter"(%1) ({
    ^bb15(%114: tensor<f32>, %115: tensor<f32>):
      %116 = "stablehlo.add"(%114, %115) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%116) : (tensor<f32>) -> ()
    }) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, scatter_dimension = 0 : i64} : (tensor<4x6xf32>) -> tensor<2x6xf32>
    %117 = "stablehlo.all_to_all"(%1) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_dimension = 1 : i64, concat_dimension = 1 : i64, split_count = 2 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %118 = "stablehlo.collective_broadcast"(%0) {replica_groups = dense<[[1, 0], [2, 3]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    %119 = "stablehlo.collective_permute"(%0) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 5 : i64, type = 1 : i64>} : (tensor<4xf32>) -> tensor<4xf32>
    %120 = "stablehlo.replica_id"() : () -> tensor<ui32>
    %121 = "stablehlo.send"(%0, %100) {channel_handle = #stablehlo.channel_handle<handle = 1 : i64, type = 2 : i64>, is_host_transfer = true} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    "func.return"(%0, %121) : (tensor<4xf32>, !stablehlo.token) -> ()
  }) {sym_name = "main", function_type = (tensor<4xf32>, tensor<4x6xf32>, tensor<2x4x6x8xf32>, tensor<8xf32>, tensor<2x2x3x8xf32>, tensor<3x3x4x16xf32>, tensor<1x1x8x16xf32>, tensor<3x6x5xf32>, tensor<4x4xf32>) -> (tensor<4xf32>, !stablehlo.token), sym_visibility = "public"} : () -> ()
  "func.func"() ({
  ^bb16(%122: tensor<4xf32>):
    %123 = "stablehlo.negate"(%122) : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%123) : (tensor<4xf32>) -> ()
  }) {sym_name = "negate", function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_visibility = "private"} : () -> ()
}) {sym_name = "attributes", mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 4 : i32} : () -> ()
