// SPDX-License-Identifier: Apache-2.0
// The layouts of a program's parameters and result.
#ifndef XLA_HLO_IR_COMPUTATION_LAYOUT_H_
#define XLA_HLO_IR_COMPUTATION_LAYOUT_H_

#include <utility>
#include <vector>

#include "xla/shape.h"
#include "xla/shape_layout.h"

namespace xla {

// The shapes of the parameters and of the result, with their layouts.
class ComputationLayout : public ProgramShape {
 public:
  // What stands for a pointer to a ShapeLayout.
  class Pointer {
   public:
    Pointer(const Pointer&) = delete;
    Pointer& operator=(const Pointer&) = delete;
    ShapeLayout& operator*() { return layout_; }
    ShapeLayout* operator->() { return &layout_; }

   private:
    friend class ComputationLayout;
    explicit Pointer(Shape* shape) : layout_(shape) {}
    ShapeLayout layout_;
  };

  ComputationLayout() = default;
  explicit ComputationLayout(const ShapeLayout& result) { *mutable_result() = result.shape(); }
  ComputationLayout(ProgramShape shape)  // NOLINT: a program shape holds as much
      : ProgramShape(std::move(shape)) {}
  ComputationLayout(ProgramShape shape, bool ignore_layouts);

  int parameter_count() const { return parameters_size(); }
  ShapeLayout parameter_layout(int i) const { return ShapeLayout(parameters(i)); }
  ShapeLayout result_layout() const { return ShapeLayout(result()); }
  std::vector<ShapeLayout> parameter_layouts() const;
  Pointer mutable_parameter_layout(int i) { return Pointer(mutable_parameters(i)); }
  Pointer mutable_result_layout() { return Pointer(mutable_result()); }
  void add_parameter_layout(const ShapeLayout& layout) { *add_parameters() = layout.shape(); }

  const Shape& parameter_shape(int i) const { return parameters(i); }
  const Shape& result_shape() const { return result(); }
  ProgramShape ComputeProgramShape() const { return *this; }
  // Of all arrays.
  void SetToDefaultLayout();
  // Whether every array, or any, has a layout.
  bool LayoutIsSet() const;
  bool AnyLayoutSet() const;
};

}  // namespace xla

#endif  // XLA_HLO_IR_COMPUTATION_LAYOUT_H_
