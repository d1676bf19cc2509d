#pragma once

/// \file Figures of a plan, shared by its text and JSON forms.

#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::tools {

struct PassSummary {
    int pass = 1;
    int begin_bit = 0;             ///< lowest bit of the digit, if passes read digits
    int end_bit = 0;               ///< one past the digit's highest bit
    std::size_t children_most = 0; ///< maximum children of a bucket, if passes read no digits
    std::uint64_t refined = 0;
    std::uint64_t buckets = 0; ///< number of non-empty buckets
    std::uint64_t placed = 0;
    std::uint64_t spanning = 0;
    std::uint64_t cut = 0;
};

struct GpuSummary {
    GpuId gpu;
    std::uint64_t base = 0;
    std::uint64_t keys = 0;
    std::uint64_t received = 0; ///< keys from other GPUs
    std::uint64_t sort_groups = 0;
    int end_bit_max = 0;
    int end_bit_min = 0;
};

[[nodiscard]] std::vector<PassSummary> summarize_passes(model::Plan const& plan);
[[nodiscard]] std::vector<GpuSummary> summarize_gpus(model::Plan const& plan);
/// Buckets that were refined or cut at a border, in pass order.
[[nodiscard]] std::vector<PlacementRecord> unplaced_buckets(model::Plan const& plan);
/// Keys on the fullest GPU.
[[nodiscard]] std::uint64_t owned_most(model::Plan const& plan);

/// "12.50 %"; 0 if the whole is 0. \param digits after the point
[[nodiscard]] std::string percent_text(std::uint64_t part, std::uint64_t whole, int digits);

/// The main result in one sentence: the number of passes and its reason.
[[nodiscard]] std::string finding(model::Plan const& plan);

} // namespace keyswap::tools
