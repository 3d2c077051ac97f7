// SPDX-License-Identifier: Apache-2.0
// digits_sheet IMAGES.npy LABELS.npy OUTPUT.npz SHEET.svg: compares what models/digits/predict.hlo
// answered with the true labels, prints the accuracy, and draws every image with its prediction.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "tools/npz.h"
#include "xla/base/status_macros.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

constexpr int64_t kSide = 8;  // images are 8x8 gray values, 0 (paper) to 1 (ink)
constexpr int64_t kPixels = kSide * kSide;
constexpr int64_t kClasses = 10;

struct Answers {
  std::vector<float> images;         // [count, 8, 8]
  std::vector<int32_t> labels;       // [count], true
  std::vector<int32_t> predictions;  // [count]
  std::vector<float> probabilities;  // [count, 10]

  int64_t count() const { return static_cast<int64_t>(labels.size()); }
  bool right(int64_t i) const { return labels[i] == predictions[i]; }
  float confidence(int64_t i) const { return probabilities[i * kClasses + predictions[i]]; }
};

absl::Status CheckSizes(const Answers& answers) {
  const size_t count = answers.labels.size();
  if (answers.images.size() != count * kPixels || answers.predictions.size() != count ||
      answers.probabilities.size() != count * kClasses || count == 0) {
    return absl::InvalidArgumentError(absl::StrCat("sizes do not match: ", answers.images.size(),
                                                   " pixels, ", count, " labels, ",
                                                   answers.predictions.size(), " predictions, ",
                                                   answers.probabilities.size(), " probabilities"));
  }
  for (int32_t prediction : answers.predictions) {
    if (prediction < 0 || prediction >= kClasses) {
      return absl::InvalidArgumentError(absl::StrCat("prediction ", prediction, " is no digit"));
    }
  }
  return absl::OkStatus();
}

// One path per gray level, a unit square per pixel: small, and sharp at any zoom.
std::string DrawImage(absl::Span<const float> pixels) {
  std::map<int, std::string> paths;
  for (int64_t i = 0; i < kPixels; ++i) {
    const auto gray = static_cast<int>(255 - std::lround(std::clamp(pixels[i], 0.0f, 1.0f) * 255));
    if (gray == 255) continue;  // paper
    absl::StrAppend(&paths[gray], "M", i % kSide, " ", i / kSide, "h1v1h-1z");
  }
  std::string svg;
  for (const auto& [gray, path] : paths) {
    absl::StrAppendFormat(&svg, "<path fill=\"#%02x%02x%02x\" d=\"%s\"/>", gray, gray, gray, path);
  }
  return svg;
}

std::string DrawSheet(const Answers& answers, int64_t right) {
  constexpr int64_t kColumns = 24, kCellWidth = 50, kCellHeight = 66, kTop = 64, kMargin = 16;
  const int64_t rows = (answers.count() + kColumns - 1) / kColumns;
  const int64_t width = kColumns * kCellWidth + 2 * kMargin;
  const int64_t height = kTop + rows * kCellHeight + kMargin;
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
      "font-family=\"system-ui,sans-serif\" shape-rendering=\"crispEdges\">\n"
      "<title>Handwritten digits and their predictions</title>\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"#f4f4f0\"/>\n"
      "<text x=\"%d\" y=\"30\" font-size=\"20\" font-weight=\"600\">%d of %d handwritten digits "
      "read correctly (%.2f %%)</text>\n"
      "<text x=\"%d\" y=\"50\" font-size=\"12\" fill=\"#555\">below each image: the predicted "
      "digit and its probability; mistakes are framed in red, with the true digit</text>\n",
      width, height, width, height, kMargin, right, answers.count(),
      100.0 * right / answers.count(), kMargin);
  for (int64_t i = 0; i < answers.count(); ++i) {
    const int64_t x = kMargin + (i % kColumns) * kCellWidth;
    const int64_t y = kTop + (i / kColumns) * kCellHeight;
    const bool good = answers.right(i);
    absl::StrAppendFormat(
        &svg,
        "<g transform=\"translate(%d %d)\"><title>image %d: predicted %d with probability %.4f, "
        "true %d</title>",
        x, y, i, answers.predictions[i], answers.confidence(i), answers.labels[i]);
    absl::StrAppendFormat(
        &svg,
        "<rect x=\"1\" y=\"1\" width=\"44\" height=\"44\" fill=\"#fff\" "
        "stroke=\"%s\" stroke-width=\"%d\"/><g transform=\"translate(3 3) "
        "scale(5)\">%s</g>",
        good ? "#ddd" : "#d00", good ? 1 : 3,
        DrawImage(absl::MakeConstSpan(answers.images).subspan(i * kPixels, kPixels)));
    if (good) {
      absl::StrAppendFormat(
          &svg,
          "<text x=\"2\" y=\"60\" font-size=\"14\">%d</text><text x=\"44\" "
          "y=\"59\" font-size=\"10\" text-anchor=\"end\" fill=\"#888\">%.2f</text>",
          answers.predictions[i], answers.confidence(i));
    } else {
      absl::StrAppendFormat(&svg,
                            "<text x=\"2\" y=\"60\" font-size=\"13\" font-weight=\"700\" "
                            "fill=\"#d00\">%d, is %d</text>",
                            answers.predictions[i], answers.labels[i]);
    }
    absl::StrAppend(&svg, "</g>\n");
  }
  absl::StrAppend(&svg, "</svg>\n");
  return svg;
}

// The elements of array `index` of the file, which must have this type.
template <typename T>
absl::StatusOr<std::vector<T>> Elements(const NumpyFile& arrays, size_t index,
                                        const std::string& path) {
  if (index >= arrays.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " has ", arrays.size(), " arrays, expected at least ", index + 1));
  }
  XLA_ASSIGN_OR_RETURN(const Literal value, arrays.Read(index));
  constexpr PrimitiveType kType = primitive_util::NativeToPrimitiveType<T>();
  if (value.shape().element_type() != kType) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": array ", index, " has elements of type ",
                     primitive_util::LowercasePrimitiveTypeName(value.shape().element_type()),
                     ", expected ", primitive_util::LowercasePrimitiveTypeName(kType)));
  }
  return std::vector<T>(value.data<T>().begin(), value.data<T>().end());
}

absl::StatusOr<Answers> ReadAnswers(const std::string& images, const std::string& labels,
                                    const std::string& output) {
  XLA_ASSIGN_OR_RETURN(const auto image_arrays, NumpyFile::Open(images));
  XLA_ASSIGN_OR_RETURN(const auto label_arrays, NumpyFile::Open(labels));
  XLA_ASSIGN_OR_RETURN(const auto output_arrays, NumpyFile::Open(output));
  Answers answers;
  XLA_ASSIGN_OR_RETURN(answers.images, Elements<float>(image_arrays, 0, images));
  XLA_ASSIGN_OR_RETURN(answers.labels, Elements<int32_t>(label_arrays, 0, labels));
  XLA_ASSIGN_OR_RETURN(answers.predictions, Elements<int32_t>(output_arrays, 0, output));
  XLA_ASSIGN_OR_RETURN(answers.probabilities, Elements<float>(output_arrays, 1, output));
  XLA_RETURN_IF_ERROR(CheckSizes(answers));
  return answers;
}

absl::Status Run(const std::string& images, const std::string& labels, const std::string& output,
                 const std::string& sheet) {
  XLA_ASSIGN_OR_RETURN(const Answers answers, ReadAnswers(images, labels, output));
  int64_t right = 0;
  for (int64_t i = 0; i < answers.count(); ++i) {
    if (answers.right(i)) {
      ++right;
      continue;
    }
    absl::PrintF("image %3d: predicted %d with probability %.3f, but it is %d\n", i,
                 answers.predictions[i], answers.confidence(i), answers.labels[i]);
  }
  absl::PrintF("accuracy: %d of %d images right, %.2f %%\n", right, answers.count(),
               100.0 * right / answers.count());
  std::ofstream file(sheet, std::ios::binary);
  file << DrawSheet(answers, right);
  file.close();
  if (!file) return absl::UnknownError(absl::StrCat("cannot write ", sheet));
  return absl::OkStatus();
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: digits_sheet IMAGES.npy LABELS.npy OUTPUT.npz SHEET.svg\n");
    return 2;
  }
  const absl::Status status = xla::Run(argv[1], argv[2], argv[3], argv[4]);
  if (!status.ok()) {
    std::fprintf(stderr, "digits_sheet: %s\n", std::string(status.message()).c_str());
    return 1;
  }
  return 0;
}
