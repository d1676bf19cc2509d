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

/// A bucket that was refined or cut at a border.
struct SpanningSummary {
    PlacementRecord placement;
    std::string bucket_name;
    std::string percent_text; ///< share of all keys
};

struct GpuSummary {
    GpuId gpu;
    std::uint64_t base = 0;
    std::uint64_t keys = 0;
    std::uint64_t received = 0; ///< keys from other GPUs
    std::uint64_t sort_groups = 0;
    int end_bit_max = 0;
    int end_bit_min = 0;
    std::string chunk_percent_text;
    std::string bits_text;
};

struct BalanceSummary {
    std::uint64_t most = 0;   ///< keys on the fullest GPU
    std::uint64_t bound = 0;  ///< C + 2E
    std::uint64_t moved = 0;  ///< keys that change GPUs
    std::uint64_t copies = 0; ///< merged copies between different GPUs
    std::string moved_percent_text;
};

[[nodiscard]] std::vector<PassSummary> summarize_passes(model::Plan const& plan);
/// Spanning buckets in pass order.
[[nodiscard]] std::vector<SpanningSummary> summarize_spanning(model::Plan const& plan);
[[nodiscard]] std::vector<GpuSummary> summarize_gpus(model::Plan const& plan);
[[nodiscard]] BalanceSummary summarize_balance(model::Plan const& plan);

/// The main result in one sentence: the number of passes and its reason.
[[nodiscard]] std::string finding(model::Plan const& plan);

} // namespace keyswap::tools
