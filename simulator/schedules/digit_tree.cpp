#include "simulator/schedules/digit_tree.hpp"

#include <algorithm>
#include <functional>

namespace keyswap::simulator {

namespace {

/// Source: kernels/primitives/digit_nodes.hpp.
constexpr std::size_t nodes_max = 32;
/// Of a sample: buckets with fewer are told apart after the swap.
constexpr std::size_t least_of_node = crowding_samples / 64;

/// Whether a sample leaves no doubt that a border between GPUs lies deep in a bucket of the first
/// pass.
bool sees_second_pass(model::Plan const& plan, KeySample const& sample) {
    constexpr double chance = 0.03; // four standard deviations of 4,096 samples
    double const deep =
        chance + static_cast<double>(plan.tolerance) / static_cast<double>(plan.config.key_count);
    std::vector<std::size_t> counts(plan.layout.digit_count(1));
    for (model::uint128 const image : sample.images) {
        ++counts[plan.layout.digit(static_cast<std::uint64_t>(image), 1)];
    }
    double begin = 0.0;
    for (std::size_t const count : counts) {
        double const end =
            begin + static_cast<double>(count) / static_cast<double>(sample.images.size());
        for (std::uint32_t gpu = 1; gpu < plan.config.gpu_count; ++gpu) {
            double const border = static_cast<double>(gpu) / plan.config.gpu_count;
            if (border - begin > deep && end - border > deep) {
                return true;
            }
        }
        begin = end;
    }
    return false;
}

} // namespace

DigitTree::DigitTree(model::DigitLayout layout)
    : layout_(layout), buckets_{BucketPrefix{}}, nodes_{{BucketPrefix{}, 0}} {}

std::optional<std::size_t> DigitTree::find(BucketPrefix bucket) const {
    auto const found = nodes_.find(bucket);
    return found == nodes_.end() ? std::nullopt : std::optional(found->second);
}

int DigitTree::depth() const {
    return std::ranges::max(buckets_, {}, &BucketPrefix::pass).pass + 1;
}

bool DigitTree::add(BucketPrefix bucket) {
    if (find(bucket)) {
        return true;
    }
    BucketPrefix const parent{bucket.pass - 1,
                              bucket.prefix >> static_cast<unsigned>(layout_.bits_of(bucket.pass))};
    if (!add(parent) || size() == nodes_max) {
        return false;
    }
    nodes_.emplace(bucket, size());
    buckets_.push_back(bucket);
    return true;
}

void DigitTree::grow(KeySample const& sample) {
    struct Candidate {
        BucketPrefix bucket;
        std::size_t keys = 0;
    };
    std::vector<Candidate> candidates;
    for (int pass = 1; pass < layout_.pass_count(); ++pass) {
        std::map<BucketPrefix, std::size_t> counts;
        for (model::uint128 const image : sample.images) {
            ++counts[{pass, layout_.prefix(static_cast<std::uint64_t>(image), pass)}];
        }
        for (auto const& [bucket, keys] : counts) {
            if (keys >= least_of_node) {
                candidates.push_back({bucket, keys});
            }
        }
    }
    // No child has more than its parent, which comes first.
    std::ranges::stable_sort(candidates, std::greater{}, &Candidate::keys);
    for (Candidate const& candidate : candidates) {
        if (!add(candidate.bucket)) {
            return;
        }
    }
}

CountedTree counted(DigitTree tree, model::Chunks const& chunks, model::KeySource& keys) {
    CountedTree result{std::move(tree), {}};
    std::map<int, std::vector<BucketPrefix>> by_pass;
    for (std::size_t node = 0; node < result.tree.size(); ++node) {
        BucketPrefix const bucket = result.tree.bucket(node);
        by_pass[bucket.pass].push_back(bucket);
        result.counts.emplace_back(bucket, chunks.gpu_count(), result.tree.child_count(node));
    }
    for (auto& [pass, buckets] : by_pass) {
        std::ranges::sort(buckets);
        for (model::BucketHistogram& histogram :
             keys.histograms(chunks, result.tree.layout(), buckets)) {
            result.counts[result.tree.find(histogram.bucket()).value()] = std::move(histogram);
        }
    }
    return result;
}

TreeReadings tree_readings(model::Plan const& plan, KeySample const& sample) {
    TreeReadings readings;
    bool has_failed = sample.images.empty();
    bool has_tree = false;
    bool const begins_early = !has_failed && sees_second_pass(plan, sample);
    std::vector<BucketPrefix> known;
    for (model::PassPlan const& pass : plan.passes) {
        bool has_all = has_tree;
        for (model::BucketHistogram const& histogram : pass.histograms) {
            known.push_back(histogram.bucket());
            has_all = has_all && readings.trees.back().find(histogram.bucket());
        }
        bool const begins = pass.pass == 1 ? begins_early : pass.pass == 2 && !has_failed;
        bool reads = !has_all && (begins || has_tree);
        if (reads) {
            DigitTree tree(plan.layout);
            has_tree = std::ranges::all_of(known, [&tree](BucketPrefix b) { return tree.add(b); });
            has_failed = !has_tree;
            reads = has_tree;
            if (has_tree) {
                tree.grow(sample);
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
