#include "proptests/properties/model_check.hpp"

#include "model/keys/materialized_source.hpp"
#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "model/sorts/rmg/replay.hpp"
#include "model/sorts/rmg/replay_key_swap.hpp"
#include "model/sorts/rmg/replay_partitioning.hpp"
#include "model/sorts/rmg/rmg_sort_plan.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::proptests {

namespace {

template <class Image>
using Keys = model::KeyArrays<Image, model::NoValue>;

template <class Image>
std::vector<Image> images_as(SortCase const& sort_case) {
    std::vector<Image> images(sort_case.images.size());
    std::ranges::transform(sort_case.images, images.begin(), [](std::uint64_t image) {
        return static_cast<Image>(image);
    });
    return images;
}

template <class Image>
std::vector<Image> sorted(std::vector<Image> images) {
    std::ranges::sort(images);
    return images;
}

/// RMG paper, section 3.2: s_max = (g-1)(p-1)+1 spanning buckets, 2^c times as many buckets.
std::optional<std::string> check_bounds(model::Plan const& plan) {
    std::uint64_t const gpus = plan.config.gpu_count;
    auto const passes = static_cast<std::uint64_t>(plan.layout.pass_count());
    std::uint64_t const refined_max = (gpus - 1) * (passes - 1) + 1;
    std::uint64_t refined = 0;
    for (model::PassPlan const& pass : plan.passes) {
        refined += pass.histograms.size();
        if (pass.pass > 1 && pass.histograms.size() > gpus - 1) {
            return "pass " + std::to_string(pass.pass) + " refines more than g - 1 buckets";
        }
    }
    if (refined > refined_max) {
        return std::to_string(refined) + " refined buckets are more than " +
               std::to_string(refined_max);
    }
    if (plan.buckets.size() > (refined_max << plan.config.digit_bits)) {
        return std::string("more buckets than 2^c s_max");
    }
    return std::nullopt;
}

std::optional<std::string> check_balance(model::Plan const& plan) {
    std::uint64_t const n = plan.config.key_count;
    std::uint64_t const chunk = (n + plan.config.gpu_count - 1) / plan.config.gpu_count;
    std::uint64_t const tolerance = chunk * plan.config.tolerance_ppm / 1'000'000;
    std::uint64_t sum = 0;
    for (OwnershipRecord const& owner : plan.ownership) {
        if (owner.count > chunk + 2 * tolerance) {
            return "GPU " + std::to_string(owner.gpu.value) + " owns " +
                   std::to_string(owner.count) +
                   " keys, more than C + 2E = " + std::to_string(chunk + 2 * tolerance);
        }
        sum += owner.count;
    }
    return sum == n ? std::nullopt : std::optional<std::string>("not all keys are owned");
}

std::optional<std::string> check_groups(model::Plan const& plan) {
    std::vector<std::uint64_t> covered(plan.config.gpu_count, 0);
    for (model::SortGroup const& group : plan.sort_groups) {
        if (group.offset != covered[group.gpu.value]) {
            return "a sort group of GPU " + std::to_string(group.gpu.value) +
                   " does not begin where the one before ends";
        }
        covered[group.gpu.value] += group.count;
    }
    for (OwnershipRecord const& owner : plan.ownership) {
        if (covered[owner.gpu.value] != owner.count) {
            return "sort groups do not cover GPU " + std::to_string(owner.gpu.value);
        }
    }
    return std::nullopt;
}

/// Checks that every copy ends inside its destination's range and begins inside its source's chunk.
std::optional<std::string> check_copies(model::Plan const& plan) {
    for (CopyRecord const& copy : model::merged_copies(plan)) {
        std::uint64_t const owned = plan.ownership[copy.destination.value].count;
        if (copy.destination_offset > owned || copy.count > owned - copy.destination_offset) {
            return "a copy to GPU " + std::to_string(copy.destination.value) +
                   " ends outside of what it owns";
        }
        if (copy.source_offset + copy.count > plan.chunks.of(copy.source).size()) {
            return "a copy from GPU " + std::to_string(copy.source.value) +
                   " begins outside of its chunk";
        }
    }
    return std::nullopt;
}

/// Checks that, after partitioning and one swap, every GPU holds exactly the keys of its range of
/// the sorted order.
template <class Image>
std::optional<std::string> check_one_swap(model::Plan const& plan, SortCase const& sort_case) {
    std::vector<Image> images = images_as<Image>(sort_case);
    std::vector<Image> scratch(images.size());
    Keys<Image> const arrays{images, {}};
    Keys<Image> const partitioned{scratch, {}};
    if (auto const violation = model::replay_partitioning(plan, arrays, partitioned)) {
        return model::describe(*violation);
    }
    model::replay_key_swap(plan, partitioned, arrays);
    std::vector<Image> const expected = sorted(images_as<Image>(sort_case));
    for (OwnershipRecord const& owner : plan.ownership) {
        auto const begin = static_cast<std::ptrdiff_t>(owner.base);
        auto const end = begin + static_cast<std::ptrdiff_t>(owner.count);
        std::vector<Image> owned(images.begin() + begin, images.begin() + end);
        if (!std::ranges::equal(sorted(std::move(owned)),
                                std::span(expected).subspan(owner.base, owner.count))) {
            return "after the swap GPU " + std::to_string(owner.gpu.value) +
                   " does not hold its range of the sorted order";
        }
    }
    return std::nullopt;
}

template <class Image>
std::optional<std::string> check_order(model::SortPlan const& plan, SortCase const& sort_case) {
    std::vector<Image> images = images_as<Image>(sort_case);
    std::vector<Image> scratch(images.size());
    model::ReplayMemory<Image, model::NoValue> const memory{{images, {}}, {scratch, {}}};
    if (auto const violation = plan.replay(memory, nullptr)) {
        return model::describe(*violation);
    }
    if (images != sorted(images_as<Image>(sort_case))) {
        return std::string("the output is not the sorted permutation of the input");
    }
    return std::nullopt;
}

template <class Image>
std::optional<std::string> check_rmg_as(SortCase const& sort_case, PlanChange const& change) {
    std::vector<Image> const images = images_as<Image>(sort_case);
    model::MaterializedSource source{std::span<Image const>(images)};
    model::Plan plan = model::plan_rmg_sort(sort_case.config, source);
    if (change) {
        change(plan);
    }
    for (auto const& check : {check_bounds, check_balance, check_groups}) {
        if (auto problem = check(plan)) {
            return problem;
        }
    }
    if (auto problem = check_one_swap<Image>(plan, sort_case)) {
        return problem;
    }
    if (auto problem = check_copies(plan)) {
        return problem;
    }
    return check_order<Image>(*model::rmg_sort_plan(std::move(plan)), sort_case);
}

template <class Image>
std::optional<std::string> check_sort_as(model::Algorithm const& algorithm,
                                         SortCase const& sort_case) {
    std::vector<Image> const images = images_as<Image>(sort_case);
    model::MaterializedSource source{std::span<Image const>(images)};
    auto const plan = algorithm.plan(sort_case.config, source);
    if (!plan) {
        bool const refusal_is_right =
            !takes_gpus(algorithm.info().gpus, sort_case.config.gpu_count);
        return refusal_is_right ? std::nullopt : std::optional(plan.error().message());
    }
    return check_order<Image>(**plan, sort_case);
}

} // namespace

std::optional<std::string> check_rmg(SortCase const& sort_case, PlanChange const& change) {
    return key_bits(sort_case.config.key_type) == 32
               ? check_rmg_as<std::uint32_t>(sort_case, change)
               : check_rmg_as<std::uint64_t>(sort_case, change);
}

std::optional<std::string> check_sort(model::Algorithm const& algorithm,
                                      SortCase const& sort_case) {
    return key_bits(sort_case.config.key_type) == 32
               ? check_sort_as<std::uint32_t>(algorithm, sort_case)
               : check_sort_as<std::uint64_t>(algorithm, sort_case);
}

} // namespace keyswap::proptests
