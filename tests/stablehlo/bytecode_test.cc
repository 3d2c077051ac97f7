// SPDX-License-Identifier: Apache-2.0
// Portable artifacts: MLIR bytecode that holds VHLO.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/mlir/ir.h"
#include "xla/stablehlo/syntax.h"
#include "xla/stablehlo/translate.h"
#include "xla/stablehlo/vhlo.h"

namespace xla::stablehlo {
namespace {

absl::StatusOr<std::unique_ptr<mlir::Source>> ReadArtifact(std::string bytes) {
  XLA_ASSIGN_OR_RETURN(auto source, mlir::ReadBytecode(std::move(bytes), "test.mlirbc",
                                                       AllDialects(), BytecodeEncodings()));
  XLA_RETURN_IF_ERROR(UpgradeVhlo(source.get()));
  return source;
}

std::string BytesOf(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

// f(x) = x + 1 of an f32, as JAX exports it: VHLO 1.17 in bytecode version 6.
std::string Artifact() {
  return BytesOf(
      "4d4cef520d537461626c65484c4f5f76312e31352e3000011b0501050b01030b03090f13171b0361430b012f"
      "070f0f0f230b0f0b0b0b0f0b0b0b1b0b0f0b0f0f0b1f0b03150f0b0b0f130b0b0b0b1f01050b0f03070f1707"
      "02df1f1103051d19071d1b1d03070b0d0f031103050f1101000511051305151d170105170519051b2d1f073d"
      "5985051d1d2325051f1527071d292b05212d2d07d203798305230303310d0123070303370d03393b1d251d27"
      "1d291d2b1f05090000803f0109010202290109110305030509045b0501510109010704490301050350010307"
      "043503070f030b1500054205050305070621030505010309040503050603010501002e042d0f0b0f21191325"
      "15131d0519252939150f19110f0b116275696c74696e0076686c6f006d6f64756c650066756e635f76310063"
      "6f6e7374616e745f7631006164645f76310072657475726e5f7631006a61782e757365735f73686170655f70"
      "6f6c796d6f72706869736d006d686c6f2e6e756d5f706172746974696f6e73006d686c6f2e6e756d5f726570"
      "6c69636173006a69745f5f6c616d6264610078006a6974283c6c616d6264613e29003c6d6f64756c653e0065"
      "78706f72742e7079006a6974283c6c616d6264613e292f616464003c6c616d6264613e0070726f6772616d73"
      "2e7079006a61782e726573756c745f696e666f00726573756c74006d61696e007075626c6963000819070527"
      "010b2f33353d3f0341");
}

TEST(Bytecode, ReadsAsTheStableHloItStandsFor) {
  ASSERT_OK_AND_ASSIGN(const auto source, ReadArtifact(Artifact()));
  EXPECT_EQ(mlir::ToString(*source->module), R"("builtin.module"() ({
  "func.func"() ({
  ^bb1(%0: tensor<f32>):
    %1 = "stablehlo.constant"() {value = dense<1.000000e+00> : tensor<f32>} : () -> tensor<f32>
    %2 = "stablehlo.add"(%0, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%2) : (tensor<f32>) -> ()
  }) {arg_attrs = [{}], function_type = (tensor<f32>) -> tensor<f32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {sym_name = "jit__lambda", jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
)");
}

// Values that are used before their definition, above all.
TEST(Bytecode, WhatIsReadFromDamagedFilesPrintsAndIsReadAgain) {
  const std::string artifact = Artifact();
  int read = 0;
  for (size_t i = 0; i < artifact.size(); ++i) {
    for (const int change : {1, 2, 4, 8}) {
      std::string damaged = artifact;
      damaged[i] = static_cast<char>(damaged[i] + change);
      const auto source = ReadArtifact(damaged);
      if (!source.ok()) continue;
      ++read;
      const std::string printed = mlir::ToString(*(*source)->module);
      const auto again = mlir::ReadText(printed, "print", AllDialects());
      EXPECT_OK(again.status()) << "byte " << i << " + " << change << "\n" << printed;
    }
  }
  EXPECT_GT(read, 100);
}

// Found by mutation: a call site whose callee is not a location.
TEST(Bytecode, LocationsAreMadeOfLocations) {
  const std::string damaged = BytesOf(
      "4d4cef520d626c65484c4f5f76312e302e30000119051d210901032703072b2f330347270d010d0b070b0f0b"
      "1b031b0b0b0b0b130f0b0b2f2f0b132f01030f030b071f1b071302c105011f05031501050505030505070907"
      "030123071d071d090d0311130303151d0b1d0d1f0b1100000000000000001f0b110200000000000000170103"
      "0521211f0b11010000000000000001020209290702802121031105050503051d290305090451050151030b01"
      "07043f0301050350030307042b03070b0509090005460305030505010307040303050603010501007e021b15"
      "1f110f0b110f0b0f212529276a69745f736d616c6c5f70726f6475637473006d686c6f2e6e756d5f70617274"
      "6974696f6e73006d686c6f2e6e756d5f7265706c69636173006a61782e726573756c745f696e666f00726573"
      "756c74006d61696e007075626c6963006275696c74696e0076686c6f006d6f64756c650066756e635f763100"
      "646f745f67656e6572616c5f76310072657475726e5f7631000821070503010b0d0f17191b0b1d1f231d25");
  EXPECT_ERROR(ReadArtifact(damaged), "a location is made of what is not a location");
}

// Found by mutation: a mesh whose axes are a dictionary.
TEST(Bytecode, AxesOfMeshesAreAxes) {
  const std::string damaged = BytesOf(
      "4d4cef520d537461626c65484c4f5f76312e302e30000119051d210901032703072b2f330349270f010d0b07"
      "0b0f0b1b031b0b0b0b0b130f0b0b0f2f0b132f01030f030d071f1b07131302b905011f050311010505050305"
      "05070907030123071d071d090d0311130303151d0b1d0d330b011f0d1101000000000000001701030521211f"
      "0d1100000000000000000102020b290502100210031105050503051d29030109290305090451050151030b01"
      "07043f0301050350030307042b03070b0509090005460305030505010307040303050603010501006e021b15"
      "1f110f0b110f0b0f2125291f6a69745f6d61746d756c5f663634006d686c6f2e6e756d5f706172746974696f"
      "6e73006d686c6f2e6e756d5f7265706c69636173006a61782e726573756c744f696e666f00726573756c7400"
      "6d61696e007075626c6963006275696c74696e0076686c6f006d6f64756c650066756e635f763100646f745f"
      "67656e6572616c5f76310072657475726e5f7631000821070503010b0d0f17191b0b1d1f231d25");
  EXPECT_ERROR(ReadArtifact(damaged), "expected a list of mesh_axis");
}

// As jaxlib 0.12 writes it: attribute 17 of Shardy.
TEST(Bytecode, UnreducedAxesNameTheirReduction) {
  const std::string artifact = BytesOf(
      "4d4cef520d537461626c65484c4f5f76312e31372e30000123070105090d01050f130305171b05051f230355"
      "330b01150b0b0b13130b13131313030f230f130f13171705110b0f130b0f130b0b01051307050713170702cb"
      "0513050b09031701073517010b0b0515170103031701050717010707170109152305031d0103170909170105"
      "031b010317090b0101010d050321010b031701011d190303270d032315230703032d0d03231f1d1b1d1d1b03"
      "09030b2903090911030503050904710503500d0107046103010905400f0309501105070445030913030b0700"
      "010607030103010746130703010303010609030503050b0409030706030105010036021f0f0b1b0505051511"
      "290b0f370b09116275696c74696e007364790076686c6f00756e7265616c697a65645f636f6e76657273696f"
      "6e5f63617374006d6f64756c65006d657368007368617264696e675f636f6e73747261696e740066756e635f"
      "76310072657475726e5f7631002d006d0078007364792e7368617264696e67006d61696e007075626c696300"
      "081f090517010519030b25292b2f310315");
  ASSERT_OK_AND_ASSIGN(const auto source, ReadArtifact(artifact));
  const std::string text = mlir::ToString(*source->module);
  EXPECT_NE(text.find("#sdy.sharding<@mesh, [{}], unreduced=min{\"x\"}>"), std::string::npos)
      << text;
  ASSERT_OK_AND_ASSIGN(const auto module, ReadStableHlo(artifact, "artifact"));
  const HloInstruction* parameter = module->entry_computation()->parameter_instruction(0);
  ASSERT_TRUE(parameter->has_sharding());
  EXPECT_EQ(parameter->sharding().unreduced_kind(), UnreducedKind::kMin);
}

// VHLO has no symbols: the name of a mesh is a string.
TEST(Bytecode, ReplicaGroupsNameTheirMesh) {
  const std::string artifact = BytesOf(
      "4d4cef520d537461626c65484c4f5f76312e31372e30000121070105090b01030f0303130507171b1f036541"
      "0d01270b0b13130b130b0f1b0b0b0b0f0b13131313130305130f05170b0f0b0b0b0f0b0f0f0b0b01030f050b"
      "130713170702df05110513170103030303090b051503030d0f05170103110305131517190519051b051d1101"
      "0905091701050717010707170107351701091517010b0b05032901031b090301130b0123091d1f1d212f3739"
      "1d0903033b2d3d011d1b050101020429030905092903110511030303071d0457050150050107044703010903"
      "411d070305501f0507042903050b0307210007462307030703010904250303060301050100ff230f0b0b050b"
      "0b1f0505151d110b0f0b09116275696c74696e007364790076686c6f006d6f64756c65006d6573680066756e"
      "635f763100616c6c5f6761746865725f76320072657475726e5f7631002d006d00737461626c65686c6f2e6d"
      "6573680061786573006e616d6500780073697a65006d61696e007075626c69630008250905070105271b0b2b"
      "2f2b3133092d2d353f");
  ASSERT_OK_AND_ASSIGN(const auto source, ReadArtifact(artifact));
  const std::string text = mlir::ToString(*source->module);
  EXPECT_NE(text.find("replica_group_mesh_axes<mesh = @mesh, axes = "), std::string::npos) << text;
  ASSERT_OK_AND_ASSIGN(const auto module, ReadStableHlo(artifact, "artifact"));
  EXPECT_NE(module->ToString().find("replica_groups=mesh['x'=2] {'x'}"), std::string::npos)
      << module->ToString();
}

TEST(Bytecode, MeshesOfReplicaGroupsMayBeInlined) {
  ASSERT_OK_AND_ASSIGN(
      const auto module,
      ReadStableHlo(BytesOf("4d4cef520d537461626c65484c4f5f76312e31372e3000011905010"
                            "50901030b03070f131703472b0d010f0b"
                            "0b1313131313031d0b0f0b0b0b0b0f0f0f0f4f0f0f0b030d1307130"
                            "7171302bf050d050f1701030317010507"
                            "17010535170107151701090b03011307011d1123091d131d152f1d2"
                            "5331f470303213113091f0b2101000000"
                            "0000000000000000000000000303272d13010501290309030929031"
                            "1031d110301030529030907044d050150"
                            "050107043d0301050350070307042903050b0303090005460b05030"
                            "5030107040d0303060301050100a5170f"
                            "0b050505151d110f0b116275696c74696e0076686c6f006d6f64756"
                            "c650066756e635f763100616c6c5f6761"
                            "746865725f76320072657475726e5f7631002d006d0078006d61696"
                            "e007075626c696300081f070507010b0f"
                            "150f17190911111b29"),
                    "artifact"));
  EXPECT_NE(module->ToString().find("replica_groups=mesh['x'=2], device_ids=(1,0) {'x'}"),
            std::string::npos)
      << module->ToString();
}

TEST(Bytecode, TruncatedFilesGiveAnError) {
  const std::string whole = Artifact();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ReadArtifact(whole.substr(0, size)).ok()) << size;
  }
  EXPECT_ERROR(ReadArtifact(whole.substr(0, 100)), "the file is truncated");
  EXPECT_ERROR(ReadArtifact("RLM\xef"), "not MLIR bytecode");
}

TEST(Bytecode, VersionsAreChecked) {
  std::string changed = Artifact();
  changed[4] = static_cast<char>(7 << 1 | 1);
  EXPECT_ERROR(ReadArtifact(changed), "bytecode version 7 is newer than 6");
}

// As mlir::writeBytecodeToFile makes it of StableHLO itself, whose encoding is not stable.
TEST(Bytecode, OtherBytecodeIsNamed) {
  std::string changed = Artifact();
  changed.replace(changed.find("StableHLO_v"), 11, "MLIR23.0.0g");
  changed.resize(100);
  const absl::Status status = LoadStableHlo(changed, "test.mlirbc").status();
  EXPECT_NE(status.message().find("the file is truncated"), std::string::npos) << status;
  EXPECT_NE(status.message().find("no portable artifact"), std::string::npos) << status;
  const absl::Status truncated = LoadStableHlo(Artifact().substr(0, 100), "test.mlirbc").status();
  EXPECT_EQ(truncated.message().find("no portable artifact"), std::string::npos) << truncated;
}

TEST(Bytecode, AnyBytesGiveAProgramOrAnError) {
  const std::string whole = Artifact();
  uint64_t state = 1;
  const auto draw = [&](size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state >> 33) % below;
  };
  for (int i = 0; i < 20000; ++i) {
    std::string changed = whole;
    for (size_t k = draw(3) + 1; k > 0; --k) {
      changed[4 + draw(changed.size() - 4)] = static_cast<char>(draw(256));
    }
    const auto source = ReadArtifact(changed);
    EXPECT_TRUE(!source.ok() || !mlir::ToString(*(*source)->module).empty());
  }
}

TEST(Bytecode, ConformanceSets) {
  const char* folder = std::getenv("XYLEM_STABLEHLO_CONFORMANCE_DIR");
  if (folder == nullptr) {
    GTEST_SKIP() << "set XYLEM_STABLEHLO_CONFORMANCE_DIR to the folder of testdata_bc, vhlo..";
  }
  int read = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string file = entry.path().string();
    if (!absl::EndsWith(file, ".bc") && !absl::EndsWith(file, ".mlirbc")) continue;
    std::ifstream stream(file, std::ios::binary);
    std::stringstream content;
    content << stream.rdbuf();
    const auto source = ReadArtifact(content.str());
    if (absl::StrContains(file, "invalid")) {
      EXPECT_ERROR(source, "is not an operation of VHLO 1.20");
    } else {
      EXPECT_OK(source) << file;
      ++read;
    }
  }
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace xla::stablehlo
