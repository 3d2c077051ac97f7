// SPDX-License-Identifier: Apache-2.0
// How Shardy's operations are written.
#include "xla/mlir/operation_format.h"
#include "xla/mlir/operation_reader.h"
#include "xla/stablehlo/sdy_text.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {
namespace {

// Later versions of Shardy have reductions other than sums.
constexpr mlir::OperationSyntax kShardy[] = {
    {"sdy.all_gather",
     "@gathering_axes:own:sdy.list_of_axis_ref_lists "
     "$tensor out_sharding= @out_sharding:own:sdy.sharding dict : same"},
    {"sdy.all_reduce",
     "[ @reduction_op:case:sum,max,min ] @reduction_axes:own:sdy.axis_ref_list "
     "$tensor out_sharding= @out_sharding:own:sdy.sharding dict : same"},
    {"sdy.all_slice",
     "@slicing_axes:own:sdy.list_of_axis_ref_lists "
     "$tensor out_sharding= @out_sharding:own:sdy.sharding dict : same"},
    {"sdy.all_to_all",
     "@params:own:sdy.all_to_all_param_list "
     "$tensor out_sharding= @out_sharding:own:sdy.sharding dict : same"},
    {"sdy.collective_permute", "$tensor out_sharding= @out_sharding:own:sdy.sharding dict : same"},
    {"sdy.constant", "dict @value:any value"},
    {"sdy.data_flow_edge", "$input [ sharding= @sharding:own:sdy.sharding ] dict : same"},
    {"sdy.func_data_flow_edge", "$operand dict : same"},
    {"sdy.manual_computation",
     "( $tensors* ) in_shardings= @in_shardings:bare:sdy.sharding_per_value "
     "out_shardings= @out_shardings:bare:sdy.sharding_per_value "
     "manual_axes= @manual_axes:own:sdy.manual_axes body dict : fn"},
    {"sdy.mesh", "@sym_name:symstr = @mesh:own:sdy.mesh dict"},
    {"sdy.named_computation",
     "< @name:str > ( $operands* ) [ in_shardings= @in_shardings:bare:sdy.sharding_per_value ] "
     "[ out_shardings= @out_shardings:bare:sdy.sharding_per_value ] body dict : fn"},
    {"sdy.propagation_barrier",
     "$input allowed_direction= @allowed_direction:case:NONE,FORWARD,BACKWARD,BOTH dict : same"},
    {"sdy.reduce_scatter",
     "[ @reduction_op:case:sum,max,min ] @reduce_scatter_axes:own:sdy.list_of_axis_ref_lists "
     "$tensor out_sharding= @out_sharding:own:sdy.sharding dict : same"},
    {"sdy.replicated_to_unreduced",
     "@axes:own:sdy.axis_ref_list "
     "$tensor out_sharding= @out_sharding:own:sdy.sharding dict : same"},
    {"sdy.reshard", "$input @sharding:own:sdy.sharding dict : same"},
    {"sdy.return", "dict [ $results* : operands ]"},
    {"sdy.sharded_to_unreduced",
     "@axes:own:sdy.list_of_axis_ref_lists "
     "$tensor out_sharding= @out_sharding:own:sdy.sharding dict : same"},
    {"sdy.sharding_constraint", "$input @sharding:own:sdy.sharding dict : same"},
    {"sdy.sharding_group", "$input group_id= @group_id:i64 dict : operand"},
};

}  // namespace

void AddShardy(mlir::Dialects* dialects) {
  dialects->Add(kShardy);
  dialects->Add(mlir::DialectSyntax{"sdy", ReadShardyAttribute, nullptr, ReadShardyAttributeText});
}

}  // namespace xla::stablehlo
