// SPDX-License-Identifier: Apache-2.0
// The builder: a call of Python finds the form of the function that its arguments fit.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "python/native/api.h"
#include "python/native/builder_impl.h"
#include "python/native/convert.h"
#include "python/native/operation_forms.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla::python {
namespace {

using Named = std::vector<std::pair<std::string, Value>>;

// The first operation among the arguments.
const Op* FirstOp(const Value& value) {
  if (value.kind == Value::Kind::kOp) return &value.op;
  for (const Value& element : value.list) {
    if (const Op* op = FirstOp(element); op != nullptr) return op;
  }
  return nullptr;
}

std::string Signature(const OperationForm& form) {
  return absl::StrCat(form.name, "(",
                      absl::StrJoin(form.parameters, ", ",
                                    [](std::string* out, const OperationParameter& p) {
                                      absl::StrAppend(out, p.name, p.is_optional ? "=..." : "");
                                    }),
                      ")");
}

// The arguments by parameter; null: not given. None of Python stands for the default.
absl::StatusOr<std::vector<const Value*>> Bind(const OperationForm& form,
                                               const std::vector<Value>& positional,
                                               const Named& named) {
  if (positional.size() > form.parameters.size()) {
    return absl::InvalidArgumentError(absl::StrCat(Signature(form), " takes at most ",
                                                   form.parameters.size(), " arguments, not ",
                                                   positional.size()));
  }
  std::vector<const Value*> values(form.parameters.size(), nullptr);
  for (size_t i = 0; i < positional.size(); ++i) values[i] = &positional[i];
  for (const auto& [name, value] : named) {
    const auto parameter = std::find_if(form.parameters.begin(), form.parameters.end(),
                                        [&](const auto& p) { return p.name == name; });
    if (parameter == form.parameters.end())
      return absl::InvalidArgumentError(absl::StrCat(Signature(form), " has no '", name, "'"));
    const Value*& place = values[static_cast<size_t>(parameter - form.parameters.begin())];
    if (place != nullptr)
      return absl::InvalidArgumentError(absl::StrCat(Signature(form), ": '", name, "' twice"));
    place = &value;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != nullptr && values[i]->kind == Value::Kind::kNone) values[i] = nullptr;
    if (values[i] == nullptr && !form.parameters[i].is_optional) {
      return absl::InvalidArgumentError(
          absl::StrCat(Signature(form), " needs '", form.parameters[i].name, "'"));
    }
  }
  return values;
}

// The form that the arguments fit. Of a function with one form it is that, whatever they are.
absl::StatusOr<std::pair<const OperationForm*, CallReader>> Choose(
    const std::string& operation, const ReadContext& context, const std::vector<Value>& positional,
    const Named& named) {
  const std::vector<OperationForm>& all = OperationForms();
  const auto begin = std::find_if(
      all.begin(), all.end(), [&](const OperationForm& form) { return form.name == operation; });
  const auto end = std::find_if(begin, all.end(),
                                [&](const OperationForm& form) { return form.name != operation; });
  if (begin == end)
    return absl::InvalidArgumentError(absl::StrCat("the builder has no operation ", operation));
  absl::Status status;
  std::vector<std::string> signatures;
  for (auto form = begin; form != end; ++form) {
    signatures.push_back(Signature(*form));
    auto values = Bind(*form, positional, named);
    if (!values.ok()) {
      status = values.status();
      continue;
    }
    CallReader reader(context, form->parameters, *std::move(values));
    if (form->fits(reader) || end - begin == 1) return std::make_pair(&*form, std::move(reader));
  }
  if (end - begin == 1) return status;
  return absl::InvalidArgumentError(absl::StrCat("the arguments of ", operation,
                                                 " fit none of its forms:\n  ",
                                                 absl::StrJoin(signatures, "\n  ")));
}

// The element type of the first operand that is no predicate; else of the first one.
void FindNumberType(const Value& value, const Builder::Impl& impl,
                    std::optional<PrimitiveType>& type) {
  for (const Value& element : value.list) FindNumberType(element, impl, type);
  if (value.kind != Value::Kind::kOp || (type.has_value() && *type != PRED)) return;
  const absl::StatusOr<XlaOp> op = impl.Find(value.op);
  if (!op.ok() || &value.op.builder->impl() != &impl) return;
  const absl::StatusOr<Shape> shape = impl.builder.GetShape(*op);
  if (shape.ok() && shape->IsArray()) type = shape->element_type();
}

absl::StatusOr<Op> CallOperation(const std::string& operation, std::shared_ptr<Builder> builder,
                                 const std::vector<Value>& positional, const Named& named) {
  const Op* first = nullptr;
  for (const Value& value : positional) {
    if (first == nullptr) first = FirstOp(value);
  }
  for (const auto& [name, value] : named) {
    if (first == nullptr) first = FirstOp(value);
  }
  if (builder == nullptr && first != nullptr) builder = first->builder;
  if (builder == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(operation, " needs an operation or a builder among its arguments"));
  }
  Builder::Impl& impl = builder->impl();
  ReadContext context{&impl.builder, &impl, std::nullopt};
  if (first != nullptr && first->builder == builder)
    XLA_RETURN_IF_ERROR(impl.Find(*first).status());
  for (const Value& value : positional) FindNumberType(value, impl, context.number_type);
  for (const auto& [name, value] : named) FindNumberType(value, impl, context.number_type);
  XLA_ASSIGN_OR_RETURN(auto chosen, Choose(operation, context, positional, named));
  XLA_RETURN_IF_ERROR(impl.builder.first_error());
  XLA_ASSIGN_OR_RETURN(const XlaOp result, chosen.first->call(chosen.second));
  XLA_RETURN_IF_ERROR(impl.builder.first_error());
  return Op{builder, result.valid() ? impl.Add(result) : -1};
}

}  // namespace

ReadContext CallReader::ContextFor(const char* parameter) const {
  ReadContext context = context_;
  const absl::string_view name = parameter;
  if (absl::EndsWith(name, "indices") || absl::EndsWith(name, "index") ||
      absl::EndsWith(name, "sizes") || absl::EndsWith(name, "_offsets") || name == "val") {
    context.number_type = S32;
  }
  return context;
}

absl::StatusOr<XlaOp> Builder::Impl::Find(const Op& op) const {
  const int64_t place = op.index - first;
  if (place >= 0 && place < static_cast<int64_t>(operations.size()))
    return operations[static_cast<size_t>(place)];
  return absl::InvalidArgumentError(
      op.index < 0 ? "the operation has no result"
                   : "the operation belongs to a computation that was built already");
}

int64_t Builder::Impl::Add(XlaOp op) {
  operations.push_back(op);
  return first + static_cast<int64_t>(operations.size()) - 1;
}

Builder::Builder(const std::string& name) : impl_(std::make_unique<Impl>(name)) {}
Builder::~Builder() = default;

const std::string& Builder::name() const { return impl_->builder.name(); }

Result<Op> Builder::Call(const std::string& operation, const std::shared_ptr<Builder>& builder,
                         const std::vector<Value>& positional, const Named& named) {
  return Guarded([&] { return CallOperation(operation, builder, positional, named); });
}

Result<ShapeInfo> Builder::ShapeOf(const Op& op) const {
  return Guarded([&]() -> absl::StatusOr<ShapeInfo> {
    XLA_ASSIGN_OR_RETURN(const XlaOp found, impl_->Find(op));
    XLA_ASSIGN_OR_RETURN(const Shape shape, impl_->builder.GetShape(found));
    return ShapeInfoOf(shape);
  });
}

std::string Builder::TextOf(const Op& op) const {
  const absl::StatusOr<XlaOp> found = impl_->Find(op);
  return found.ok() ? impl_->builder.OpToString(*found) : std::string(found.status().message());
}

Result<Nothing> Builder::SetSharding(const std::string& sharding) {
  return Guarded([&]() -> absl::StatusOr<Nothing> {
    if (sharding.empty()) {
      impl_->builder.ClearSharding();
      return Nothing();
    }
    XLA_ASSIGN_OR_RETURN(const HloSharding parsed, ParseSharding(sharding));
    impl_->builder.SetSharding(parsed.ToProto());
    return Nothing();
  });
}

void Builder::SetOpName(const std::string& op_name) {
  OpMetadata metadata;
  metadata.set_op_name(op_name);
  impl_->builder.SetOpMetadata(metadata);
}

Result<ModulePtr> Builder::Build(const Op* root) {
  return Guarded([&]() -> absl::StatusOr<ModulePtr> {
    std::optional<XlaOp> found;
    if (root != nullptr) {
      XLA_ASSIGN_OR_RETURN(found, impl_->Find(*root));
    }
    impl_->first += static_cast<int64_t>(impl_->operations.size());
    impl_->operations.clear();
    XLA_ASSIGN_OR_RETURN(XlaComputation computation,
                         found.has_value() ? impl_->builder.Build(*found) : impl_->builder.Build());
    XLA_ASSIGN_OR_RETURN(const auto shared, computation.module());
    auto impl = std::make_unique<Module::Impl>();
    impl->module = shared->Clone();
    impl->computation = std::move(computation);
    XLA_RETURN_IF_ERROR(VerifyModule(*impl->module));
    return std::make_shared<const Module>(std::move(impl));
  });
}

}  // namespace xla::python
