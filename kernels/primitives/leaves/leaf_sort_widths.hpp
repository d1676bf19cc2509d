#pragma once

/// \file Leaf sorts and segment trees for the three key widths, each in its own translation
/// unit.

#include "kernels/primitives/leaves/leaf_tables.hpp"
#include "traces/records/key_type.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

namespace keyswap::kernels::leaf_sort_detail {

void leaves_u32(cudaStream_t stream,
                int value_bytes,
                Stability ties,
                ChildTable const& table,
                ChildKinds const& kinds,
                LeafArrays const& arrays);
void leaves_u64(cudaStream_t stream,
                int value_bytes,
                Stability ties,
                ChildTable const& table,
                ChildKinds const& kinds,
                LeafArrays const& arrays);
void leaves_u128(std::span<cudaStream_t const> streams,
                 int value_bytes,
                 ChildTable const& table,
                 ChildKinds const& kinds,
                 LeafArrays const& arrays);
void trees_u32(cudaStream_t stream,
               StepBuffers keys,
               SplitSegments const& segments,
               TreeShape const& shape,
               void* trees,
               std::uint8_t* one_value);
void trees_u64(cudaStream_t stream,
               StepBuffers keys,
               SplitSegments const& segments,
               TreeShape const& shape,
               void* trees,
               std::uint8_t* one_value);
void trees_u128(cudaStream_t stream,
                StepBuffers keys,
                SplitSegments const& segments,
                TreeShape const& shape,
                void* trees,
                std::uint8_t* one_value);

} // namespace keyswap::kernels::leaf_sort_detail
