// SPDX-License-Identifier: Apache-2.0
// Programs compiled ahead of time and called from C compute the same bits as programs compiled to
// run here.
#include <gtest/gtest.h>

#include <string>

#include "tests/aot/aot_library.h"
#include "tests/test_util.h"

namespace xla {
namespace {

using testing::CheckSameBits;

TEST(AotProgramsTest, Elementwise) {
  EXPECT_OK(CheckSameBits(R"(
    HloModule m
    ENTRY e {
      x = f32[1000] parameter(0)
      y = f32[1000] parameter(1)
      t = f32[1000] tanh(x)
      s = f32[1000] multiply(t, y)
      ROOT r = f32[1000] add(s, x)
    })"));
}

TEST(AotProgramsTest, SeveralResultsAndTupleArguments) {
  EXPECT_OK(CheckSameBits(R"(
    HloModule m
    ENTRY e {
      p = (s32[7], (f64[3], pred[5])) parameter(0)
      a = s32[7] get-tuple-element(p), index=0
      q = (f64[3], pred[5]) get-tuple-element(p), index=1
      b = f64[3] get-tuple-element(q), index=0
      c = pred[5] get-tuple-element(q), index=1
      d = s32[7] add(a, a)
      f = f64[3] exponential(b)
      n = pred[5] not(c)
      ROOT r = (s32[7], (f64[3], pred[5]), f64[3]) tuple(d, q, f)
    })"));
}

TEST(AotProgramsTest, Constants) {
  EXPECT_OK(CheckSameBits(R"(
    HloModule m
    ENTRY e {
      x = s32[4] parameter(0)
      c = s32[4] constant({1, -2, 3, 4})
      g = s32[4] gather(x, c), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},
        index_vector_dim=1, slice_sizes={1}
      ROOT r = s32[4] add(g, c)
    })"));
}

TEST(AotProgramsTest, Dot) {
  EXPECT_OK(CheckSameBits(R"(
    HloModule m
    ENTRY e {
      x = f32[64,300] parameter(0)
      y = f32[300,50] parameter(1)
      b = f32[50] parameter(2)
      d = f32[64,50] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      c = f32[64,50] broadcast(b), dimensions={1}
      s = f32[64,50] add(d, c)
      z = f32[] constant(0)
      zs = f32[64,50] broadcast(z), dimensions={}
      ROOT r = f32[64,50] maximum(s, zs)
    })"));
}

TEST(AotProgramsTest, Convolution) {
  EXPECT_OK(CheckSameBits(R"(
    HloModule m
    ENTRY e {
      x = f32[2,17,17,8] parameter(0)
      k = f32[3,3,8,16] parameter(1)
      ROOT r = f32[2,17,17,16] convolution(x, k), window={size=3x3 pad=1_1x1_1},
        dim_labels=b01f_01io->b01f
    })"));
}

TEST(AotProgramsTest, SortWithComparator) {
  EXPECT_OK(CheckSameBits(R"(
    HloModule m
    less {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      c = s32[] parameter(2)
      d = s32[] parameter(3)
      x = f32[] abs(a)
      y = f32[] abs(b)
      ROOT l = pred[] compare(x, y), direction=LT
    }
    ENTRY e {
      x = f32[20,100] parameter(0)
      y = s32[20,100] parameter(1)
      ROOT r = (f32[20,100], s32[20,100]) sort(x, y), dimensions={1}, to_apply=less
    })"));
}

TEST(AotProgramsTest, FourierTransforms) {
  EXPECT_OK(CheckSameBits(R"(
    HloModule m
    ENTRY e {
      x = c64[4,60] parameter(0)
      y = f32[3,64] parameter(1)
      f = c64[4,60] fft(x), fft_type=FFT, fft_length={60}
      g = c64[3,33] fft(y), fft_type=RFFT, fft_length={64}
      ROOT r = (c64[4,60], c64[3,33]) tuple(f, g)
    })"));
}

TEST(AotProgramsTest, LinearAlgebra) {
  EXPECT_OK(CheckSameBits(R"(
    HloModule m
    ENTRY e {
      x = f32[3,9,9] parameter(0)
      b = f32[3,9,4] parameter(1)
      t = f32[3,9,9] dot(x, x), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},
        rhs_contracting_dims={2}
      i = s32[3,9,9] iota(), iota_dimension=1
      j = s32[3,9,9] iota(), iota_dimension=2
      d = pred[3,9,9] compare(i, j), direction=EQ
      v = f32[3,9,9] convert(d)
      a = f32[3,9,9] add(t, v)
      c = f32[3,9,9] cholesky(a), lower=true
      ROOT r = f32[3,9,4] triangular-solve(c, b), left_side=true, lower=true, unit_diagonal=false,
        transpose_a=NO_TRANSPOSE
    })"));
}

TEST(AotProgramsTest, RandomNumbers) {
  EXPECT_OK(CheckSameBits(R"(
    HloModule m
    ENTRY e {
      s = u64[2] parameter(0)
      b = (u64[2], u32[1000]) rng-bit-generator(s), algorithm=rng_three_fry
      z = f32[] constant(0)
      o = f32[] constant(1)
      n = f32[100] rng(z, o), distribution=rng_normal
      ROOT r = ((u64[2], u32[1000]), f32[100]) tuple(b, n)
    })"));
}

TEST(AotProgramsTest, LoopsAndConditionals) {
  EXPECT_OK(CheckSameBits(R"(
    HloModule m
    sin { p = f32[64,64] parameter(0)  ROOT r = f32[64,64] sine(p) }
    mul { p = f32[64,64] parameter(0)
      ROOT r = f32[64,64] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
    body {
      s = (s32[], f32[64,64]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      x = f32[64,64] get-tuple-element(s), index=1
      one = s32[] constant(1)
      n = s32[] add(i, one)
      two = s32[] constant(2)
      b = s32[] remainder(i, two)
      y = f32[64,64] conditional(b, x, x), branch_computations={sin, mul}
      ROOT t = (s32[], f32[64,64]) tuple(n, y)
    }
    cond {
      s = (s32[], f32[64,64]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      l = s32[] constant(9)
      ROOT c = pred[] compare(i, l), direction=LT
    }
    ENTRY e {
      x = f32[64,64] parameter(0)
      i = s32[] constant(0)
      s = (s32[], f32[64,64]) tuple(i, x)
      ROOT w = (s32[], f32[64,64]) while(s), condition=cond, body=body
    })"));
}

TEST(AotProgramsTest, ScalarLoops) {
  EXPECT_OK(CheckSameBits(R"(
    HloModule m
    body {
      s = (s32[], f32[]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      x = f32[] get-tuple-element(s), index=1
      one = s32[] constant(1)
      n = s32[] add(i, one)
      y = f32[] cosine(x)
      ROOT t = (s32[], f32[]) tuple(n, y)
    }
    cond {
      s = (s32[], f32[]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      l = s32[] constant(1000)
      ROOT c = pred[] compare(i, l), direction=LT
    }
    ENTRY e {
      x = f32[] parameter(0)
      i = s32[] constant(0)
      s = (s32[], f32[]) tuple(i, x)
      ROOT w = (s32[], f32[]) while(s), condition=cond, body=body
    })"));
}

// Code applies the computation of the reduction, which needs a sort, as a program of its own.
TEST(AotProgramsTest, AppliedPrograms) {
  EXPECT_OK(CheckSameBits(R"(
    HloModule m
    less {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT l = pred[] compare(a, b), direction=LT
    }
    middle {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      x = f32[1] reshape(a)
      y = f32[1] reshape(b)
      s = f32[2] concatenate(x, y), dimensions={0}
      t = f32[2] sort(s), dimensions={0}, to_apply=less
      u = f32[1] slice(t), slice={[1:2]}
      v = f32[] reshape(u)
      half = f32[] constant(0.5)
      ROOT w = f32[] multiply(v, half)
    }
    ENTRY e {
      x = f32[5,40] parameter(0)
      z = f32[] constant(0)
      ROOT r = f32[5] reduce(x, z), dimensions={1}, to_apply=middle
    })"));
}

}  // namespace
}  // namespace xla
