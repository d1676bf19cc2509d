/// \file The simulator moves, fills and sorts what the kernels' exchange plan specifies. Both get
/// the model's plan of the same keys.

#include "kernels/exchange_plan/swap_pieces.hpp"
#include "kernels/exchange_plan/swap_rounds.hpp"
#include "kernels/exchange_plan/swap_sends.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "model/testing/plain_source.hpp"
#include "proptests/properties/case_generators.hpp"
#include "proptests/properties/kernels_buckets.hpp"
#include "simulator/schedules/exchange_plan.hpp"
#include "simulator/schedules/tree_readings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace keyswap::proptests {
namespace {

using Counts = std::vector<std::uint64_t>;

/// The properties of an exchange that determine its duration.
struct Exchange {
    std::vector<Counts> sent;        ///< [copies] round, source, destination, keys
    std::vector<Counts> own_copied;  ///< [rounds][g] keys copied within a GPU
    std::vector<Counts> sent_before; ///< [rounds][g] rounds already sent
    std::vector<Counts> sorted;      ///< [segments] GPU, round, lowest and highest image, keys
    Counts filled;                   ///< [g] keys moved by fills
    Counts fills;                    ///< [g] number of fills
    std::vector<Counts> labels;      ///< [labels][g] keys per label of the scatter

    explicit Exchange(std::uint32_t gpus) : filled(gpus), fills(gpus) {}
    void add_rounds(std::size_t rounds, std::uint32_t gpus) {
        own_copied.assign(rounds, Counts(gpus));
        sent_before.assign(rounds, Counts(gpus));
    }
};

std::string to_text(Counts const& counts) {
    std::ostringstream text;
    for (std::uint64_t const count : counts) {
        text << ' ' << count;
    }
    return text.str();
}

void list(std::ostream& out, char const* name, std::vector<Counts> const& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out << name << ' ' << i << ':' << to_text(rows[i]) << '\n';
    }
}

std::string to_text(Exchange const& exchange) {
    std::ostringstream text;
    list(text, "copy", exchange.sent);
    list(text, "own parts copied in round", exchange.own_copied);
    list(text, "rounds sent before round", exchange.sent_before);
    list(text, "segment", exchange.sorted);
    list(text, "label", exchange.labels);
    text << "filled:" << to_text(exchange.filled) << " in" << to_text(exchange.fills) << '\n';
    return text.str();
}

/// Input of an exchange plan.
struct ExchangeCase {
    SortCase keys;
    std::vector<int> shares;
    std::uint64_t fill_min = 1;
    std::size_t node_min = 0; ///< minimum keys of a node in the digit tree of the scatter's pieces
};

/// \return nullopt if the tree cannot hold the buckets that the passes refined
std::optional<kernels::DigitTree> tree_of(model::Plan const& plan, ExchangeCase const& each) {
    kernels::DigitTree tree({plan.layout.key_bits(), plan.layout.digit_bits()});
    for (model::PassPlan const& pass : plan.passes) {
        for (model::BucketHistogram const& histogram : pass.histograms) {
            if (!tree.add(histogram.bucket())) {
                return std::nullopt;
            }
        }
    }
    std::vector<std::uint64_t> sample = each.keys.images;
    std::ranges::sort(sample);
    tree.grow(sample, each.node_min);
    return tree;
}

bool is_in(kernels::ImageRange const& range, std::uint64_t image) {
    return range.lowest <= image && image <= range.highest;
}

/// [g][tree.entries()] keys of each source per child of each node.
Counts tree_counts(kernels::DigitTree const& tree,
                   model::Chunks const& chunks,
                   std::vector<std::uint64_t> const& images) {
    kernels::KeyShape const shape = tree.shape();
    Counts counts(chunks.gpu_count() * tree.entries());
    for (std::size_t i = 0; i < images.size(); ++i) {
        std::uint64_t* const of_gpu =
            counts.data() + chunks.owner_of(i).value * tree.entries(); // counters of the source
        for (std::size_t node = 0; node < tree.size(); ++node) {
            BucketPrefix const bucket = tree.bucket(node);
            if (is_in(kernels::images_of_digits(bucket, shape), images[i])) {
                std::uint64_t const below = images[i] >> shape.bits_below(bucket.pass + 1);
                auto const digits = std::uint32_t{1} << tree.child_bits(node);
                of_gpu[tree.entry(node, static_cast<std::uint32_t>(below) & (digits - 1))] += 1;
            }
        }
    }
    return counts;
}

/// Description of a plan, except for segments and labels.
Exchange described(kernels::RoundPlan const& plan, kernels::SwapSends const& sends) {
    std::uint32_t const gpus = plan.gpu_count;
    Exchange result(gpus);
    result.add_rounds(plan.rounds, gpus);
    for (CopyRecord const& copy : plan.copies) {
        bool const is_copied = plan.range_of(copy).own_part == kernels::KeyBuffer::input;
        if (copy.source == copy.destination && is_copied) {
            result.own_copied[static_cast<std::size_t>(copy.stage)][copy.source.value] +=
                copy.count;
        }
    }
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        for (std::uint32_t round = 0; round < plan.rounds; ++round) {
            result.sent_before[round][gpu] = plan.ranges[gpu][round].rounds_sent_before;
        }
    }
    for (CopyRecord const& copy : sends.copies) {
        result.sent.push_back({static_cast<std::uint64_t>(copy.stage),
                               copy.source.value,
                               copy.destination.value,
                               copy.count});
    }
    for (kernels::RoundFill const& fill : sends.fills) {
        result.filled[fill.gpu.value] += fill.count;
        result.fills[fill.gpu.value] += 1;
    }
    return result;
}

Exchange described(kernels::RoundPlan const& plan,
                   std::vector<kernels::SwapSegment> const& segments,
                   std::uint64_t fill_min) {
    std::uint32_t const gpus = plan.gpu_count;
    Exchange result = described(plan, kernels::swap_sends(plan, segments, fill_min));
    kernels::ImageRange last{1, 0};
    for (kernels::SwapSegment const& segment : segments) {
        result.sorted.push_back({segment.gpu.value,
                                 segment.round,
                                 static_cast<std::uint64_t>(segment.images.lowest),
                                 static_cast<std::uint64_t>(segment.images.highest),
                                 segment.count});
        if (segment.images != last) {
            last = segment.images;
            result.labels.emplace_back(gpus);
        }
        for (std::uint32_t source = 0; source < gpus; ++source) {
            result.labels.back()[source] += segment.sent[source].count;
        }
    }
    return result;
}

Exchange exchange_of_kernels(model::Plan const& plan,
                             ExchangeCase const& each,
                             std::optional<kernels::DigitTree> const& tree) {
    std::vector<kernels::FinalBucket> buckets = kernels_buckets(plan);
    int bits_below_first = plan.layout.bits_below(1);
    if (tree) {
        Counts const counts = tree_counts(*tree, plan.chunks, each.keys.images);
        auto const pieces = kernels::swap_pieces(*tree, counts, buckets, 256);
        RC_ASSERT(!pieces.empty());
        buckets = kernels::buckets_of(pieces);
        bits_below_first = 0;
    }
    Counts chunks;
    for (GpuId gpu{0}; gpu.value < plan.config.gpu_count; ++gpu.value) {
        chunks.push_back(plan.chunks.of(gpu).size());
    }
    kernels::SwapRounds const rounds = kernels::plan_rounds(
        buckets, plan.ownership, chunks, model::owned_max(plan), each.shares, bits_below_first);
    return described(rounds.plan, rounds.segments, each.fill_min);
}

Exchange exchange_of_simulator(model::Plan const& plan,
                               ExchangeCase const& each,
                               std::optional<kernels::DigitTree> const& tree) {
    std::uint32_t const gpus = plan.config.gpu_count;
    std::vector<kernels::FinalBucket> buckets = simulator::final_buckets(plan);
    int bits_below_first = plan.layout.bits_below(1);
    if (tree) {
        model::PlainSource source(each.keys.images);
        simulator::CountedTree const counted = simulator::counted(*tree, plan, source);
        auto const pieces = kernels::swap_pieces(counted.tree, counted.counts, buckets, 256);
        buckets = kernels::buckets_of(pieces);
        bits_below_first = 0;
    }
    simulator::ExchangePlan const exchange = simulator::exchange_of(
        simulator::exchange_rounds(plan, buckets, each.shares, bits_below_first), each.fill_min);
    Exchange result = described(exchange.rounds, exchange.sends);
    for (std::size_t i = 0; i < exchange.segments.size(); ++i) {
        simulator::LocalSegment const& keys = exchange.sorted[i];
        result.sorted.push_back({exchange.segments[i].gpu.value,
                                 exchange.segments[i].round,
                                 static_cast<std::uint64_t>(keys.images.lowest),
                                 static_cast<std::uint64_t>(keys.images.highest),
                                 keys.count});
    }
    model::BucketHistogram const labels = simulator::scatter_labels(exchange.segments);
    for (std::uint32_t label = 0; label < labels.digit_count(); ++label) {
        result.labels.emplace_back(gpus);
        for (GpuId gpu{0}; gpu.value < gpus; ++gpu.value) {
            result.labels.back()[gpu.value] = labels.count(gpu, label);
        }
    }
    return result;
}

/// An exchange of keys on 1 to 8 GPUs, with digits that `fast` supports.
ExchangeCase any_exchange_case() {
    static std::vector<std::vector<int>> const shares{
        {16}, {8, 8}, {1, 2, 3, 3, 3, 4}, {2, 2, 3, 3, 3, 3}};
    ExchangeCase each;
    each.keys = *any_sort_case(300);
    model::SortConfig& config = each.keys.config;
    RC_PRE(config.key_count > 0);
    config.gpu_count = *rc::gen::element(1U, 2U, 3U, 4U, 8U);
    config.digit_bits = *rc::gen::inRange(4, 9);
    config.tolerance_ppm = *rc::gen::element(0U, 5'000U, 100'000U, 300'000U);
    each.shares = *rc::gen::elementOf(shares);
    each.fill_min = *rc::gen::element<std::uint64_t>(1, 2, 20);
    each.node_min = *rc::gen::element<std::size_t>(1, 10, 100);
    return each;
}

void expect_same_exchange(ExchangeCase const& each, bool by_pieces) {
    model::PlainSource source(each.keys.images);
    model::Plan const plan = model::plan_rmg_sort(each.keys.config, source);
    std::optional<kernels::DigitTree> const tree = by_pieces ? tree_of(plan, each) : std::nullopt;
    std::string const expected = to_text(exchange_of_kernels(plan, each, tree));
    std::string const found = to_text(exchange_of_simulator(plan, each, tree));
    if (found != expected) {
        RC_FAIL("the kernels' plan:\n" + expected + "the simulator's:\n" + found);
    }
}

TEST(ExchangePlan, OfTheSimulatorIsThatOfTheKernels) {
    EXPECT_TRUE(rc::check("an exchange of buckets",
                          [] { expect_same_exchange(any_exchange_case(), false); }));
}

TEST(ExchangePlan, OfTheSimulatorIsThatOfTheKernelsByPieces) {
    EXPECT_TRUE(rc::check("an exchange of pieces",
                          [] { expect_same_exchange(any_exchange_case(), true); }));
}

} // namespace
} // namespace keyswap::proptests
