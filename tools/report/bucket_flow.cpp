#include "tools/report/bucket_flow.hpp"

#include "model/buckets/chunks.hpp"
#include "model/sorts/rmg/key_swap.hpp"
#include "tools/text/bucket_name.hpp"

#include <map>

namespace keyswap::tools {

namespace {

/// The group of each first digit.
using GroupOfDigit = std::map<std::uint64_t, std::size_t>;

GroupOfDigit add_groups(RunView const& view, model::BucketSpace const& space, BucketFlow& flow) {
    GroupOfDigit group_of;
    std::map<GpuId, std::size_t> placed;
    for (PlacementRecord const& placement : view.passes.front().placements) {
        bool const spanning = placement.state != PlacementState::placed;
        std::size_t group = flow.groups.size();
        if (!spanning) {
            group = placed.try_emplace(placement.first, group).first->second;
        }
        if (group == flow.groups.size()) {
            flow.groups.push_back({spanning ? bucket_name(space, view.header, placement.bucket)
                                            : "for GPU " + std::to_string(placement.first.value),
                                   spanning,
                                   0,
                                   0});
        }
        flow.groups[group].keys += placement.end - placement.begin;
        flow.groups[group].buckets += 1;
        group_of[placement.bucket.prefix] = group;
    }
    return group_of;
}

void add_sources(RunView const& view, GroupOfDigit const& group_of, BucketFlow& flow) {
    if (view.first_histograms.size() != view.gpu_count()) {
        return;
    }
    flow.from.assign(flow.groups.size(), std::vector<std::uint64_t>(view.gpu_count(), 0));
    for (std::size_t gpu = 0; gpu < view.gpu_count(); ++gpu) {
        for (std::uint64_t digit = 0; digit < view.first_histograms[gpu].size(); ++digit) {
            auto const group = group_of.find(digit);
            if (group != group_of.end()) {
                flow.from[group->second][gpu] += view.first_histograms[gpu][digit];
            }
        }
    }
}

/// Final buckets of every pass belong to the group of their first digit.
void add_destinations(RunView const& view,
                      model::BucketSpace const& space,
                      GroupOfDigit const& group_of,
                      BucketFlow& flow) {
    flow.to.assign(flow.groups.size(), std::vector<std::uint64_t>(view.gpu_count(), 0));
    model::Chunks const chunks(view.header.key_count, static_cast<std::uint32_t>(view.gpu_count()));
    for (PassView const& pass : view.passes) {
        if (pass.pass < 1 || pass.pass > space.pass_count()) {
            continue;
        }
        int const bits_after_first = space.bits_after(pass.pass) - space.bits_after(1);
        for (PlacementRecord const& placement : pass.placements) {
            auto const group = group_of.find(placement.bucket.prefix >> bits_after_first);
            if (placement.state == PlacementState::spanning || group == group_of.end()) {
                continue;
            }
            for (model::OwnedPart const& part : model::owned_parts(chunks, placement)) {
                flow.to[group->second][part.gpu.value] += part.range.size();
            }
        }
    }
}

} // namespace

BucketFlow bucket_flow_of(RunView const& view) {
    BucketFlow flow;
    if (view.passes.empty() || view.header.key_count == 0) {
        return flow;
    }
    model::BucketSpace const space = view.bucket_space();
    GroupOfDigit const group_of = add_groups(view, space, flow);
    add_sources(view, group_of, flow);
    add_destinations(view, space, group_of, flow);
    return flow;
}

} // namespace keyswap::tools
