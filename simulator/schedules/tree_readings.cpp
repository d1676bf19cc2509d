#include "simulator/schedules/tree_readings.hpp"

#include "kernels/exchange_plan/swap_pieces.hpp"
#include "simulator/schedules/crowding.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace keyswap::simulator {

namespace {

/// Least samples of a node: smaller buckets are separated after the swap.
constexpr std::size_t least_of_node = crowding_samples / 64;

kernels::KeyShape shape_of(model::DigitLayout const& layout) {
    return {layout.key_bits(), layout.digit_bits()};
}

} // namespace

CountedTree counted(kernels::DigitTree tree, model::Plan const& plan, model::KeySource& keys) {
    std::map<int, std::vector<BucketPrefix>> by_pass;
    for (std::size_t node = 0; node < tree.size(); ++node) {
        by_pass[tree.bucket(node).pass].push_back(tree.bucket(node));
    }
    std::vector<std::uint64_t> counts(plan.config.gpu_count * tree.entries());
    for (auto& [pass, buckets] : by_pass) {
        std::ranges::sort(buckets);
        for (model::BucketHistogram const& histogram :
             keys.histograms(plan.chunks, plan.layout, buckets)) {
            std::size_t const node = tree.find(histogram.bucket()).value();
            for (GpuId gpu{0}; gpu.value < plan.config.gpu_count; ++gpu.value) {
                std::uint64_t* const of_gpu = counts.data() + gpu.value * tree.entries();
                for (std::uint32_t digit = 0; digit < histogram.digit_count(); ++digit) {
                    of_gpu[tree.entry(node, digit)] = histogram.count(gpu, digit);
                }
            }
        }
    }
    return {std::move(tree), std::move(counts)};
}

TreeReadings tree_readings(model::Plan const& plan, std::span<std::uint64_t const> sample) {
    TreeReadings readings;
    kernels::KeyShape const shape = shape_of(plan.layout);
    double const tolerance =
        static_cast<double>(plan.tolerance) / static_cast<double>(plan.config.key_count);
    bool has_failed = sample.empty();
    bool has_tree = false;
    std::vector<BucketPrefix> known;
    for (model::PassPlan const& pass : plan.passes) {
        bool has_all = has_tree;
        for (model::BucketHistogram const& histogram : pass.histograms) {
            known.push_back(histogram.bucket());
            has_all = has_all && readings.trees.back().find(histogram.bucket());
        }
        bool const begins =
            pass.pass == 1 ? kernels::spans_border(sample, shape, plan.config.gpu_count, tolerance)
                           : pass.pass == 2 && !has_failed;
        bool reads = !has_all && (begins || has_tree);
        if (reads) {
            kernels::DigitTree tree(shape);
            has_tree = std::ranges::all_of(known, [&tree](BucketPrefix b) { return tree.add(b); });
            has_failed = !has_tree;
            reads = has_tree;
            if (has_tree) {
                tree.grow(sample, least_of_node);
                readings.trees.push_back(std::move(tree));
            }
        }
        readings.passes.push_back(!has_tree ? PassReading::digits
                                  : reads   ? PassReading::tree
                                            : PassReading::none);
    }
    return readings;
}

} // namespace keyswap::simulator
