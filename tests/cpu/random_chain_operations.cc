// SPDX-License-Identifier: Apache-2.0
// Operations that move elements, reduce, multiply matrices and call computations.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/cpu/random_chain.h"
#include "tests/cpu/random_chain_text.h"
#include "xla/primitive_util.h"

namespace xla::testing {

namespace {

std::string DimensionsText(const std::vector<int64_t>& dimensions) {
  return absl::StrCat("dimensions={", absl::StrJoin(dimensions, ","), "}");
}

}  // namespace

// The sizes are factors of the count, put together in another way.
void RandomChain::Reshape() {
  const ChainValue a = Pick();
  int64_t count = CountOf(a.dims);
  if (count == 0) return Unary();
  Dims dims;
  for (int64_t factor = 2; count > 1;) {
    if (factor * factor > count) factor = count;
    if (count % factor != 0) {
      ++factor;
      continue;
    }
    count /= factor;
    if (dims.empty() || (OneIn(3) && dims.size() < 4)) {
      dims.push_back(factor);
    } else {
      dims[static_cast<size_t>(Below(static_cast<int64_t>(dims.size())))] *= factor;
    }
  }
  while (dims.size() < 4 && OneIn(3)) {
    dims.insert(dims.begin() + Below(static_cast<int64_t>(dims.size()) + 1), 1);
  }
  Emit(a.type, dims, a.bound, absl::StrCat("reshape(", a.name, ")"));
}

void RandomChain::Transpose() {
  const ChainValue a = PickOfRank(2);
  Dims order(a.dims.size()), dims;
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<size_t>(Below(static_cast<int64_t>(i)))]);
  }
  for (const int64_t d : order) dims.push_back(a.dims[static_cast<size_t>(d)]);
  Emit(a.type, dims, a.bound, absl::StrCat("transpose(", a.name, "), ", DimensionsText(order)));
}

void RandomChain::BroadcastStep() {
  const ChainValue a = Pick();
  Dims dims, dimensions;
  for (const int64_t size : a.dims) {
    while (OneIn(3) && dims.size() < 4 && CountOf(a.dims) < 2000) dims.push_back(1 + Below(6));
    dimensions.push_back(static_cast<int64_t>(dims.size()));
    dims.push_back(size);
  }
  if (dims.size() < 4) dims.push_back(1 + Below(CountOf(dims) < 500 ? 20 : 2));
  Broadcast(a, dims, dimensions);
}

void RandomChain::Slice() {
  const ChainValue a = PickOfRank(1);
  Dims low, limit, strides, dims;
  for (const int64_t size : a.dims) {
    low.push_back(OneIn(2) ? 0 : Below(size + 1));
    limit.push_back(OneIn(2) ? size : low.back() + Below(size - low.back() + 1));
    if (limit.back() == low.back() && size > 0 && !OneIn(30)) low.back() = 0, limit.back() = size;
    strides.push_back(OneIn(4) ? 1 + Below(3) : 1);
    dims.push_back((limit.back() - low.back() + strides.back() - 1) / strides.back());
  }
  Emit(a.type, dims, a.bound, SliceText(a.name, low, limit, strides));
}

void RandomChain::Pad() {
  const ChainValue a = PickOfRank(1);
  std::vector<std::string> padding;
  Dims dims;
  for (const int64_t size : a.dims) {
    int64_t low = Below(4) - 1, high = Below(4) - 1;
    const int64_t interior = OneIn(5) ? 1 + Below(2) : 0;
    const int64_t dilated = size + std::max<int64_t>(size - 1, 0) * interior;
    if (dilated + low + high < 0) low = high = 0;
    dims.push_back(dilated + low + high);
    padding.push_back(absl::StrCat(low, "_", high, "_", interior));
  }
  if (CountOf(dims) > 40000) return Unary();
  const ChainValue value = Match(a.type, {});
  Emit(a.type, dims, std::max(a.bound, value.bound),
       absl::StrCat("pad(", a.name, ", ", value.name, "), padding=", absl::StrJoin(padding, "x")));
}

void RandomChain::Concatenate() {
  const ChainValue a = PickOfRank(1);
  const int64_t d = Below(static_cast<int64_t>(a.dims.size()));
  std::vector<std::string> names = {a.name};
  Dims dims = a.dims;
  double bound = a.bound;
  for (int64_t count = Below(4); count > 0 && CountOf(dims) < 10000; --count) {
    Dims other = a.dims;
    if (OneIn(2)) other[static_cast<size_t>(d)] = 1 + Below(5);
    const ChainValue b = Match(a.type, other);
    dims[static_cast<size_t>(d)] += other[static_cast<size_t>(d)];
    bound = std::max(bound, b.bound);
    names.insert(names.begin() + Below(static_cast<int64_t>(names.size()) + 1), b.name);
  }
  Emit(a.type, dims, bound,
       absl::StrCat("concatenate(", absl::StrJoin(names, ", "), "), ", DimensionsText({d})));
}

void RandomChain::Reverse() {
  const ChainValue a = PickOfRank(1);
  Dims reversed;
  for (size_t d = 0; d < a.dims.size(); ++d) {
    if (OneIn(2)) reversed.push_back(static_cast<int64_t>(d));
  }
  Emit(a.type, a.dims, a.bound, absl::StrCat("reverse(", a.name, "), ", DimensionsText(reversed)));
}

void RandomChain::DynamicSlice() {
  const ChainValue a = PickOfRank(1);
  std::string operands = a.name;
  Dims dims;
  for (const int64_t size : a.dims) {
    absl::StrAppend(&operands, ", ", Index().name);
    dims.push_back(OneIn(2) ? size : Below(size + 1));
  }
  Emit(a.type, dims, a.bound,
       absl::StrCat("dynamic-slice(", operands, "), dynamic_slice_sizes={",
                    absl::StrJoin(dims, ","), "}"));
}

void RandomChain::DynamicUpdateSlice() {
  const ChainValue a = PickOfRank(1);
  Dims dims;
  for (const int64_t size : a.dims) dims.push_back(OneIn(2) ? size : Below(size + 1));
  const ChainValue update = Match(a.type, dims);
  std::string operands = absl::StrCat(a.name, ", ", update.name);
  for (size_t d = 0; d < dims.size(); ++d) absl::StrAppend(&operands, ", ", Index().name);
  Emit(a.type, a.dims, std::max(a.bound, update.bound),
       absl::StrCat("dynamic-update-slice(", operands, ")"));
}

// Rows of the operand, for a list of numbers of which some are outside.
void RandomChain::Gather() {
  const ChainValue a = PickOfRank(1);
  if (a.dims[0] == 0) return Unary();
  Dims dims = a.dims, sizes = a.dims, offsets;
  dims[0] = 1 + Below(9);
  sizes[0] = 1;
  if (CountOf(dims) > 40000) return Unary();
  for (size_t d = 1; d < dims.size(); ++d) offsets.push_back(static_cast<int64_t>(d));
  const ChainValue indices = Match(S32, {dims[0]});
  Emit(a.type, dims, a.bound,
       absl::StrCat("gather(", a.name, ", ", indices.name, "), offset_dims={",
                    absl::StrJoin(offsets, ","),
                    "}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                    "slice_sizes={",
                    absl::StrJoin(sizes, ","), "}"));
}

void RandomChain::Scatter() {
  const ChainValue a = PickOfRank(1);
  Dims dims = a.dims, windows;
  dims[0] = 1 + Below(9);
  if (a.type == PRED || CountOf(dims) > 40000) return Unary();
  for (size_t d = 1; d < dims.size(); ++d) windows.push_back(static_cast<int64_t>(d));
  const ChainValue indices = Match(S32, {dims[0]});
  const ChainValue updates = Match(a.type, dims);
  const bool adds = OneIn(2);
  const double bound = adds ? a.bound + static_cast<double>(dims[0]) * updates.bound
                            : std::max(a.bound, updates.bound);
  const ChainValue operand = Bounded(a, 99), bounded = Bounded(updates, 9);
  Emit(a.type, a.dims, std::min(bound, 99 + 9.0 * static_cast<double>(dims[0])),
       absl::StrCat("scatter(", operand.name, ", ", indices.name, ", ", bounded.name,
                    "), update_window_dims={", absl::StrJoin(windows, ","),
                    "}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                    "index_vector_dim=1, to_apply=",
                    Combiner(adds ? "add" : "maximum", a.type)));
}

// Single elements, whose indices are joined from one array for each dimension.
void RandomChain::GatherElements() {
  const ChainValue a = PickOfRank(1);
  if (CountOf(a.dims) == 0) return Unary();
  const Dims dims = {1 + Below(40)};
  std::vector<std::string> indices;
  Dims all, ones;
  for (size_t d = 0; d < a.dims.size(); ++d) {
    const ChainValue index = Match(S32, dims);
    indices.push_back(Emit(S32, {dims[0], 1}, 0, absl::StrCat("reshape(", index.name, ")")).name);
    all.push_back(static_cast<int64_t>(d));
    ones.push_back(1);
  }
  const ChainValue joined =
      Emit(S32, {dims[0], static_cast<int64_t>(a.dims.size())}, 0,
           absl::StrCat("concatenate(", absl::StrJoin(indices, ", "), "), dimensions={1}"));
  Emit(a.type, dims, a.bound,
       absl::StrCat("gather(", a.name, ", ", joined.name, "), offset_dims={}, ",
                    "collapsed_slice_dims={", absl::StrJoin(all, ","), "}, start_index_map={",
                    absl::StrJoin(all, ","), "}, index_vector_dim=1, slice_sizes={",
                    absl::StrJoin(ones, ","), "}"));
}

// One window, which may lie outside of the array.
void RandomChain::ScatterWindow() {
  const ChainValue a = PickOfRank(1);
  if (a.type == PRED || CountOf(a.dims) == 0) return Unary();
  Dims window, all;
  std::vector<std::string> starts;
  for (size_t d = 0; d < a.dims.size(); ++d) {
    window.push_back(1 + Below(a.dims[d]));
    all.push_back(static_cast<int64_t>(d));
    const ChainValue start = OneIn(3) ? Index() : Scalar(S32, Below(a.dims[d] - window[d] + 1));
    starts.push_back(Emit(S32, {1}, 0, absl::StrCat("reshape(", start.name, ")")).name);
  }
  const ChainValue joined =
      Emit(S32, {static_cast<int64_t>(starts.size())}, 0,
           absl::StrCat("concatenate(", absl::StrJoin(starts, ", "), "), dimensions={0}"));
  const ChainValue operand = Bounded(a, 99), updates = Bounded(Match(a.type, window), 9);
  Emit(a.type, a.dims, 108,
       absl::StrCat(
           "scatter(", operand.name, ", ", joined.name, ", ", updates.name,
           "), update_window_dims={", absl::StrJoin(all, ","),
           "}, inserted_window_dims={}, scatter_dims_to_operand_dims={", absl::StrJoin(all, ","),
           "}, index_vector_dim=0, to_apply=", Combiner(OneIn(2) ? "add" : "maximum", a.type)));
}

void RandomChain::Reduce() {
  ChainValue a = PickOfRank(1);
  Dims reduced, kept;
  int64_t count = 1;
  for (size_t d = 0; d < a.dims.size(); ++d) {
    const bool is_reduced = OneIn(2);
    (is_reduced ? reduced : kept).push_back(is_reduced ? static_cast<int64_t>(d) : a.dims[d]);
    if (is_reduced) count *= a.dims[d];
  }
  const char* opcode = a.type == PRED ? (OneIn(2) ? "or" : "and")
                                      : (OneIn(2) ? "add" : (OneIn(2) ? "maximum" : "minimum"));
  const bool adds = opcode[0] == 'a' && opcode[1] == 'd';
  double bound = a.bound;
  if (adds && a.type != PRED) {
    a = Bounded(a, a.type == BF16 ? 1 : 9);
    bound = a.bound * static_cast<double>(count) + 1;
    // Sums in these types must stay exact.
    if ((a.type == BF16 && count > 100) || (a.type == F16 && count > 100)) return Unary();
  }
  const ChainValue init = Scalar(a.type, a.type == PRED ? Below(2) : OneIn(2) ? 0 : 1);
  Emit(a.type, kept, std::max(bound, init.bound),
       absl::StrCat("reduce(", a.name, ", ", init.name, "), ", DimensionsText(reduced),
                    ", to_apply=", Combiner(opcode, a.type)));
}

// The greatest element and the number of the first such.
void RandomChain::ArgMax() {
  const ChainValue a = PickOfRank(1);
  if (a.type == PRED) return Unary();
  const auto d = static_cast<size_t>(Below(static_cast<int64_t>(a.dims.size())));
  Dims kept = a.dims;
  kept.erase(kept.begin() + static_cast<int64_t>(d));
  const ChainValue numbers = Emit(S32, a.dims, 0, absl::StrCat("iota(), iota_dimension=", d));
  const ChainValue low = Scalar(a.type, 0), first = Scalar(S32, 0);
  const std::string name = NewName("argmax");
  const std::string x = ShapeText(a.type, {});
  absl::StrAppend(&computations_, name, " {\n  a = ", x,
                  " parameter(0)\n  i = s32[] parameter(1)\n", "  b = ", x,
                  " parameter(2)\n  j = s32[] parameter(3)\n",
                  "  more = pred[] compare(a, b), direction=GT\n",
                  "  same = pred[] compare(a, b), direction=EQ\n",
                  "  before = pred[] compare(i, j), direction=LT\n",
                  "  tie = pred[] and(same, before)\n  take = pred[] or(more, tie)\n  c = ", x,
                  " select(take, a, b)\n  k = s32[] select(take, i, j)\n  ROOT r = (", x,
                  ", s32[]) tuple(c, k)\n}\n\n");
  const std::string both = NewName("t");
  absl::StrAppend(&scope_.lines, "  ", both, " = (", ShapeText(a.type, kept), ", ",
                  ShapeText(S32, kept), ") reduce(", a.name, ", ", numbers.name, ", ", low.name,
                  ", ", first.name, "), dimensions={", d, "}, to_apply=", name, "\n");
  Emit(a.type, kept, a.bound, absl::StrCat("get-tuple-element(", both, "), index=0"));
  Emit(S32, kept, 0, absl::StrCat("get-tuple-element(", both, "), index=1"));
}

void RandomChain::ReduceWindow() {
  ChainValue a = PickOfRank(1);
  if (a.type == PRED || CountOf(a.dims) > 5000) return Unary();
  std::vector<int64_t> sizes, strides, dilations;
  std::vector<std::string> padding;
  Dims dims;
  int64_t taps = 1;
  for (const int64_t size : a.dims) {
    const int64_t window = 1 + Below(3), stride = 1 + Below(2), dilation = OneIn(4) ? 2 : 1;
    const int64_t low = Below(2), high = Below(2);
    const int64_t span = (window - 1) * dilation + 1;
    sizes.push_back(window);
    strides.push_back(stride);
    dilations.push_back(dilation);
    padding.push_back(absl::StrCat(low, "_", high));
    taps *= window;
    dims.push_back(size + low + high < span ? 0 : (size + low + high - span) / stride + 1);
  }
  const bool adds = OneIn(2);
  if (adds) a = Bounded(a, a.type == BF16 ? 1 : 9);
  const ChainValue init = Scalar(a.type, 0);
  Emit(a.type, dims, adds ? a.bound * static_cast<double>(taps) : a.bound,
       absl::StrCat("reduce-window(", a.name, ", ", init.name,
                    "), window={size=", absl::StrJoin(sizes, "x"),
                    " stride=", absl::StrJoin(strides, "x"), " pad=", absl::StrJoin(padding, "x"),
                    " rhs_dilate=", absl::StrJoin(dilations, "x"),
                    "}, to_apply=", Combiner(adds ? "add" : "maximum", a.type)));
}

void RandomChain::Dot() {
  ChainValue a = PickOfRank(1);
  if (a.type == PRED) return Unary();
  const auto rank = static_cast<int64_t>(a.dims.size());
  const auto k = static_cast<size_t>(Below(rank));
  const int64_t batch = rank > 1 && OneIn(3) ? (static_cast<int64_t>(k) + 1) % rank : -1;
  Dims other, dims, free;
  for (int64_t count = Below(3); count > 0; --count) free.push_back(1 + Below(OneIn(4) ? 40 : 6));
  if (batch >= 0) other.push_back(a.dims[static_cast<size_t>(batch)]);
  const size_t place = other.size() + (free.empty() ? 0 : static_cast<size_t>(Below(2)));
  other.insert(other.end(), free.begin(), free.end());
  other.insert(other.begin() + static_cast<int64_t>(place), a.dims[k]);
  if (batch >= 0) dims.push_back(a.dims[static_cast<size_t>(batch)]);
  for (int64_t d = 0; d < rank; ++d) {
    if (d != static_cast<int64_t>(k) && d != batch) dims.push_back(a.dims[static_cast<size_t>(d)]);
  }
  dims.insert(dims.end(), free.begin(), free.end());
  const bool is_narrow = a.type == BF16 || a.type == F16;
  if (CountOf(dims) > 40000 || CountOf(dims) * a.dims[k] > 1000000 ||
      (is_narrow && a.dims[k] > 100)) {
    return Unary();
  }
  a = Bounded(a, is_narrow ? 1 : 9);
  const ChainValue b = Bounded(Match(a.type, other), is_narrow ? 1 : 9);
  const bool swaps = OneIn(3);  // which moves the dimensions of the result, too
  if (swaps && free.empty() && dims.size() == (batch >= 0 ? 1 : 0)) {
    Emit(a.type, dims, a.bound * b.bound * static_cast<double>(a.dims[k]),
         absl::StrCat(
             "dot(", b.name, ", ", a.name, "), ",
             batch >= 0 ? absl::StrCat("lhs_batch_dims={0}, rhs_batch_dims={", batch, "}, ") : "",
             "lhs_contracting_dims={", place, "}, rhs_contracting_dims={", k, "}"));
    return;
  }
  Emit(a.type, dims, a.bound * b.bound * static_cast<double>(a.dims[k]),
       absl::StrCat(
           "dot(", a.name, ", ", b.name, "), ",
           batch >= 0 ? absl::StrCat("lhs_batch_dims={", batch, "}, rhs_batch_dims={0}, ") : "",
           "lhs_contracting_dims={", k, "}, rhs_contracting_dims={", place, "}"));
}

void RandomChain::Convolution() {
  ChainValue a = PickOfRank(3);
  if (a.dims.size() > 4 || a.type == PRED || primitive_util::IsIntegralType(a.type) ||
      CountOf(a.dims) == 0 || CountOf(a.dims) > 4000 || a.dims.back() > 40) {
    return Unary();
  }
  const size_t spatial = a.dims.size() - 2;
  Dims kernel, dims = {a.dims[0]};
  std::vector<std::string> padding;
  int64_t taps = a.dims.back();
  for (size_t d = 0; d < spatial; ++d) {
    kernel.push_back(1 + Below(3));
    const int64_t low = Below(2), high = Below(2);
    padding.push_back(absl::StrCat(low, "_", high));
    const int64_t size = a.dims[d + 1] + low + high - kernel.back() + 1;
    dims.push_back(std::max<int64_t>(size, 0));
    taps *= kernel.back();
  }
  const std::string window = absl::StrJoin(kernel, "x");
  kernel.push_back(a.dims.back());
  kernel.push_back(1 + Below(9));
  dims.push_back(kernel.back());
  if ((a.type == BF16 || a.type == F16) && taps > 100) return Unary();
  a = Bounded(a, a.type == F32 || a.type == F64 ? 9 : 1);
  const ChainValue b = Bounded(Match(a.type, kernel), a.bound > 1 ? 9 : 1);
  Emit(a.type, dims, a.bound * b.bound * static_cast<double>(taps),
       absl::StrCat("convolution(", a.name, ", ", b.name, "), window={size=", window,
                    " pad=", absl::StrJoin(padding, "x"),
                    "}, dim_labels=", spatial == 1 ? "b0f_0io->b0f" : "b01f_01io->b01f"));
}

void RandomChain::Sort() {
  const ChainValue a = PickOfRank(1);
  if (a.type == PRED) return Unary();
  const int64_t d = Below(static_cast<int64_t>(a.dims.size()));
  const bool with_values = OneIn(2);
  const std::string name = NewName("order"), x = ShapeText(a.type, {});
  absl::StrAppend(&computations_, name, " {\n  a = ", x, " parameter(0)\n  b = ", x,
                  " parameter(1)\n");
  if (with_values)
    absl::StrAppend(&computations_, "  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n");
  absl::StrAppend(&computations_,
                  "  ROOT r = pred[] compare(a, b), direction=", OneIn(2) ? "LT" : "GT", "\n}\n\n");
  const std::string attributes =
      absl::StrCat("dimensions={", d, "}, is_stable=true, to_apply=", name);
  if (!with_values) {
    Emit(a.type, a.dims, a.bound, absl::StrCat("sort(", a.name, "), ", attributes));
    return;
  }
  const ChainValue values = Match(S32, a.dims);
  const std::string both = NewName("t");
  absl::StrAppend(&scope_.lines, "  ", both, " = (", ShapeText(a.type, a.dims), ", ",
                  ShapeText(S32, a.dims), ") sort(", a.name, ", ", values.name, "), ", attributes,
                  "\n");
  Emit(a.type, a.dims, a.bound, absl::StrCat("get-tuple-element(", both, "), index=0"));
  Emit(S32, a.dims, 0, absl::StrCat("get-tuple-element(", both, "), index=1"));
}

// The state: a counter, and two values that the body makes from both.
void RandomChain::While() {
  const ChainValue a = Bounded(Pick(), 9);
  const ChainValue b = OneIn(2) ? Bounded(Match(a.type, a.dims), 9) : Bounded(Pick(), 9);
  if (a.type == PRED || b.type == PRED) return Unary();
  ChainValue counter{"", S32, {}, 99};
  const std::string first = Computation({counter, a, b}, a.type, a.dims, 9);
  const std::string second = Computation({counter, a, b}, b.type, b.dims, 9);
  const std::string x = ShapeText(a.type, a.dims), y = ShapeText(b.type, b.dims);
  const std::string state = absl::StrCat("(s32[], ", x, ", ", y, ")");
  const std::string parts =
      absl::StrCat("  p = ", state, " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n");
  const std::string body = NewName("loop"), condition = NewName("condition");
  absl::StrAppend(
      &computations_, body, " {\n", parts, "  x = ", x, " get-tuple-element(p), index=1\n  y = ", y,
      " get-tuple-element(p), index=2\n  one = s32[] constant(1)\n",
      "  j = s32[] add(i, one)\n  u = ", x, " call(i, x, y), to_apply=", first, "\n  v = ", y,
      " call(i, x, y), to_apply=", second, "\n  ROOT r = ", state, " tuple(j, u, v)\n}\n\n");
  absl::StrAppend(&computations_, condition, " {\n", parts, "  n = s32[] constant(", Below(5),
                  ")\n  ROOT r = pred[] compare(i, n), direction=LT\n}\n\n");
  const ChainValue zero = Scalar(S32, 0);
  const std::string init = NewName("t"), loop = NewName("t");
  absl::StrAppend(&scope_.lines, "  ", init, " = ", state, " tuple(", zero.name, ", ", a.name, ", ",
                  b.name, ")\n  ", loop, " = ", state, " while(", init, "), condition=", condition,
                  ", body=", body, "\n");
  Emit(b.type, b.dims, 9, absl::StrCat("get-tuple-element(", loop, "), index=2"));
  Emit(a.type, a.dims, 9, absl::StrCat("get-tuple-element(", loop, "), index=1"));
}

void RandomChain::Conditional() {
  const ChainValue a = Pick(), b = Pick(), like = Pick();
  const ChainValue condition = Match(PRED, {});
  const std::string yes = Computation({a}, like.type, like.dims, 99);
  const std::string no = Computation({b}, like.type, like.dims, 99);
  Emit(like.type, like.dims, 99,
       absl::StrCat("conditional(", condition.name, ", ", a.name, ", ", b.name,
                    "), true_computation=", yes, ", false_computation=", no));
}

void RandomChain::Call() {
  const ChainValue a = Pick(), b = Pick(), like = Pick();
  const std::string callee = Computation({a, b}, like.type, like.dims, 99);
  Emit(like.type, like.dims, 99,
       absl::StrCat("call(", a.name, ", ", b.name, "), to_apply=", callee));
}

}  // namespace xla::testing
