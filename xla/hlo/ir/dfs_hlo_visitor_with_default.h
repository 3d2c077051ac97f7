// SPDX-License-Identifier: Apache-2.0
// DfsHloVisitorWithDefault under XLA's include path.
#ifndef XLA_HLO_IR_DFS_HLO_VISITOR_WITH_DEFAULT_H_
#define XLA_HLO_IR_DFS_HLO_VISITOR_WITH_DEFAULT_H_

#include "xla/hlo/ir/dfs_hlo_visitor.h"  // IWYU pragma: export

#endif  // XLA_HLO_IR_DFS_HLO_VISITOR_WITH_DEFAULT_H_
