#include "simulator/network/max_min.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace keyswap::simulator {

MaxMinSolver::MaxMinSolver(std::span<double const> capacities)
    : channels_(capacities.size()), filling_(capacities.size()), is_binding_(capacities.size(), 0),
      is_dirty_(capacities.size(), 0), is_changed_(capacities.size(), 0),
      component_place_(capacities.size(), none) {
    for (std::uint32_t channel = 0; channel < capacities.size(); ++channel) {
        KEYSWAP_EXPECTS(capacities[channel] > 0.0);
        channels_[channel].capacity = capacities[channel];
        channels_[channel].parent = channel;
        channels_[channel].next = channel;
    }
}

bool MaxMinSolver::smaller(std::uint32_t a, std::uint32_t b) const {
    return std::pair(channels_[a].capacity, a) < std::pair(channels_[b].capacity, b);
}

/// The narrowest channel reachable from `at` via ever narrower (or equal) neighbours, on the nearer
/// side; failing that, the nearest smaller channel, or none.
std::uint32_t MaxMinSolver::nearest_cover(std::span<ChannelShare const> shares,
                                          std::size_t at) const {
    auto const capacity = [&](std::size_t i) { return channels_[shares[i].channel].capacity; };
    std::uint32_t cover = none;
    std::size_t distance = shares.size();
    auto const consider = [&](std::size_t best, std::size_t steps) {
        if (best != at && steps < distance) {
            distance = steps;
            cover = shares[best].channel;
        }
    };
    std::size_t best = at;
    for (std::size_t i = at; i > 0 && capacity(i - 1) <= capacity(i); --i) {
        best = capacity(i - 1) < capacity(best) ? i - 1 : best;
    }
    consider(best, at - best);
    best = at;
    for (std::size_t i = at; i + 1 < shares.size() && capacity(i + 1) <= capacity(i); ++i) {
        best = capacity(i + 1) < capacity(best) ? i + 1 : best;
    }
    consider(best, best - at);
    for (std::size_t steps = 1; steps < shares.size() && cover == none; ++steps) {
        if (steps <= at && smaller(shares[at - steps].channel, shares[at].channel)) {
            cover = shares[at - steps].channel;
        } else if (at + steps < shares.size() &&
                   smaller(shares[at + steps].channel, shares[at].channel)) {
            cover = shares[at + steps].channel;
        }
    }
    return cover;
}

MaxMinSolver::Slot MaxMinSolver::take_slot(std::size_t hop_count) {
    auto const count = static_cast<std::uint32_t>(hop_count);
    if (!free_slots_.empty() && hop_room_[free_slots_.back()] >= count) {
        Slot const slot = free_slots_.back();
        free_slots_.pop_back();
        hop_count_[slot] = count;
        return slot;
    }
    auto const slot = static_cast<Slot>(rates_.size());
    hop_begin_.push_back(static_cast<std::uint32_t>(hops_.size()));
    hop_count_.push_back(count);
    hop_room_.push_back(count);
    hops_.resize(hops_.size() + count);
    fill_hops_.resize(hops_.size());
    fill_hop_count_.push_back(0);
    rates_.push_back(0.0);
    ceilings_.push_back(no_ceiling);
    is_fixed_.push_back(0);
    places_.push_back(0);
    is_used_.push_back(0);
    return slot;
}

MaxMinSolver::Slot MaxMinSolver::add(std::span<ChannelShare const> shares, double ceiling) {
    KEYSWAP_EXPECTS(ceiling > 0.0 && (!shares.empty() || ceiling < no_ceiling));
    Slot const slot = take_slot(shares.size());
    double natural = no_ceiling;
    for (ChannelShare const& share : shares) {
        KEYSWAP_EXPECTS(share.channel < channels_.size() && share.weight > 0.0);
        natural = std::min(natural, channels_[share.channel].capacity / share.weight);
    }
    // A ceiling above the route's own limit has no effect; at the limit a channel enforces it.
    ceilings_[slot] = ceiling < natural ? ceiling : no_ceiling;
    rates_[slot] = 0.0;
    fill_hop_count_[slot] = 0;
    is_used_[slot] = 1;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        std::uint32_t const cover = nearest_cover(shares, i);
        hops_[hop_begin_[slot] + i] = Hop{shares[i].channel, 0, cover, shares[i].weight};
    }
    for (std::uint32_t hop = 0; hop < shares.size(); ++hop) {
        attach(slot, hop, shares);
    }
    if (ceilings_[slot] < no_ceiling) {
        by_ceiling_.emplace(ceilings_[slot], slot);
    }
    refresh_fill_hops(slot);
    unite_channels_of(slot);
    keep_checkpoints_for_added(slot);
    dirty_flows_.push_back(slot);
    ++flow_count_;
    return slot;
}

void MaxMinSolver::attach(Slot slot, std::uint32_t hop, std::span<ChannelShare const> shares) {
    Hop& crossing = hops(slot)[hop];
    ChannelState& channel = channels_[crossing.channel];
    crossing.position = static_cast<std::uint32_t>(channel.crossings.size());
    channel.crossings.push_back(Crossing{slot, hop, rest_several});
    channel.weight_sum += crossing.weight;
    if (crossing.cover != none && channel.covers.size() < covers_max) {
        auto const share = std::find_if(shares.begin(), shares.end(), [&](ChannelShare const& s) {
            return s.channel == crossing.cover;
        });
        add_cover(channel, crossing.cover, crossing.weight / share->weight);
    } else {
        crossing.cover = none;
        if (ceilings_[slot] < no_ceiling) {
            ++channel.capped_count;
            channel.capped_sum += crossing.weight * ceilings_[slot];
        } else {
            ++channel.uncovered_count;
        }
    }
    update_binding(crossing.channel);
    mark_dirty(crossing.channel);
    note_changed_channel(crossing.channel);
}

void MaxMinSolver::add_cover(ChannelState& channel, std::uint32_t index, double ratio) {
    double const capacity = channels_[index].capacity;
    for (Cover& cover : channel.covers) {
        if (cover.channel == index) {
            ++cover.count;
            channel.cover_sum += std::max(ratio - cover.ratio, 0.0) * capacity;
            cover.ratio = std::max(ratio, cover.ratio);
            return;
        }
    }
    channel.covers.push_back(Cover{index, 1, ratio});
    channel.cover_sum += ratio * capacity;
}

void MaxMinSolver::remove_cover(ChannelState& channel, std::uint32_t index) {
    auto const cover = std::find_if(channel.covers.begin(),
                                    channel.covers.end(),
                                    [&](Cover const& c) { return c.channel == index; });
    if (--cover->count == 0) {
        channel.cover_sum -= cover->ratio * channels_[index].capacity;
        *cover = channel.covers.back();
        channel.covers.pop_back();
    }
    if (channel.covers.empty()) {
        channel.cover_sum = 0.0; // avoids accumulated rounding errors
    }
}

void MaxMinSolver::detach(Slot slot, std::uint32_t hop) {
    Hop const crossing = hops(slot)[hop];
    ChannelState& channel = channels_[crossing.channel];
    Crossing const moved = channel.crossings.back();
    channel.crossings[crossing.position] = moved;
    hops(moved.slot)[moved.hop].position = crossing.position;
    channel.crossings.pop_back();
    channel.weight_sum = channel.crossings.empty() ? 0.0 : channel.weight_sum - crossing.weight;
    if (crossing.cover != none) {
        remove_cover(channel, crossing.cover);
    } else if (ceilings_[slot] < no_ceiling) {
        --channel.capped_count;
        channel.capped_sum = channel.capped_count == 0
                                 ? 0.0
                                 : channel.capped_sum - crossing.weight * ceilings_[slot];
    } else {
        --channel.uncovered_count;
    }
    update_binding(crossing.channel);
    mark_dirty(crossing.channel);
    note_changed_channel(crossing.channel);
}

void MaxMinSolver::remove(Slot slot) {
    KEYSWAP_EXPECTS(slot < is_used_.size() && is_used_[slot] != 0);
    keep_checkpoints_for_removed(slot);
    for (std::uint32_t hop = 0; hop < hop_count_[slot]; ++hop) {
        detach(slot, hop);
    }
    if (ceilings_[slot] < no_ceiling) {
        by_ceiling_.erase({ceilings_[slot], slot});
    }
    is_used_[slot] = 0;
    rates_[slot] = 0.0;
    free_slots_.push_back(slot);
    --flow_count_;
    ++removals_;
}

void MaxMinSolver::update_binding(std::uint32_t index) {
    ChannelState const& channel = channels_[index];
    bool const binding =
        channel.uncovered_count > 0 || channel.cover_sum + channel.capped_sum > channel.capacity;
    if (binding == (is_binding_[index] != 0)) {
        return;
    }
    is_binding_[index] = binding ? 1 : 0;
    checkpoint_count_ = 0;
    for (Crossing const& crossing : channel.crossings) {
        refresh_fill_hops(crossing.slot);
        if (binding) {
            unite_channels_of(crossing.slot);
        } else if (ceilings_[crossing.slot] < no_ceiling) {
            dirty_flows_.push_back(crossing.slot); // its ceiling may now be its only limit
        }
    }
}

void MaxMinSolver::refresh_fill_hops(Slot slot) {
    std::uint32_t count = 0;
    for (Hop const& hop : hops(slot)) {
        if (is_binding_[hop.channel] != 0) {
            fill_hops_[hop_begin_[slot] + count++] = FillHop{hop.channel, hop.weight};
        }
    }
    fill_hop_count_[slot] = count;
    // Fast path of the inner loop: one or two binding channels of weight 1.
    auto const route = fill_hops(slot);
    bool const is_short =
        count >= 1 && count <= 2 &&
        std::ranges::all_of(route, [](FillHop const& hop) { return hop.weight == 1.0; });
    for (Hop const& hop : hops(slot)) {
        std::vector<Crossing>& crossings = channels_[hop.channel].crossings;
        if (hop.position >= crossings.size() || crossings[hop.position].slot != slot) {
            continue; // not attached yet
        }
        std::uint32_t rest = rest_several;
        if (is_short && is_binding_[hop.channel] != 0) {
            std::uint32_t const other =
                route.front().channel == hop.channel ? route.back().channel : route.front().channel;
            rest = count == 1 ? rest_none : other;
        }
        crossings[hop.position].rest = rest;
    }
}

void MaxMinSolver::mark_dirty(std::uint32_t channel) {
    if (is_dirty_[channel] == 0) {
        is_dirty_[channel] = 1;
        dirty_.push_back(channel);
    }
}

void MaxMinSolver::note_changed_channel(std::uint32_t channel) {
    if (is_changed_[channel] == 0) {
        is_changed_[channel] = 1;
        changed_.push_back(channel);
    }
}

void MaxMinSolver::note_changed(Slot slot) {
    for (Hop const& hop : hops(slot)) {
        note_changed_channel(hop.channel);
    }
}

std::span<std::uint32_t const> MaxMinSolver::take_changed_channels() {
    for (std::uint32_t const channel : changed_) {
        is_changed_[channel] = 0;
    }
    std::swap(changed_, taken_);
    changed_.clear();
    return taken_;
}

std::uint32_t MaxMinSolver::find(std::uint32_t channel) {
    while (channels_[channel].parent != channel) {
        channels_[channel].parent = channels_[channels_[channel].parent].parent;
        channel = channels_[channel].parent;
    }
    return channel;
}

void MaxMinSolver::unite(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a != b) {
        channels_[std::max(a, b)].parent = std::min(a, b);
        std::swap(channels_[a].next, channels_[b].next); // joins the two circular lists
        checkpoint_count_ = 0;
    }
}

void MaxMinSolver::unite_channels_of(Slot slot) {
    auto const route = fill_hops(slot);
    for (std::size_t i = 1; i < route.size(); ++i) {
        unite(route[0].channel, route[i].channel);
    }
}

void MaxMinSolver::rebuild_components() {
    for (std::uint32_t channel = 0; channel < channels_.size(); ++channel) {
        channels_[channel].parent = channel;
        channels_[channel].next = channel;
    }
    for (Slot slot = 0; slot < rates_.size(); ++slot) {
        if (is_used_[slot] != 0) {
            unite_channels_of(slot);
        }
    }
    removals_ = 0;
    checkpoint_count_ = 0;
}

std::span<MaxMinSolver::Slot const> MaxMinSolver::solve() {
    collect_component();
    restart();
    std::size_t const kept = fixed_.size();
    fill();
    solved_.assign(fixed_.begin() + static_cast<std::ptrdiff_t>(kept), fixed_.end());
    // A flow without binding channels is limited by its ceiling alone.
    for (Slot const slot : dirty_flows_) {
        if (is_used_[slot] != 0 && fill_hop_count_[slot] == 0) {
            KEYSWAP_ENSURES(ceilings_[slot] < no_ceiling);
            rates_[slot] = ceilings_[slot];
            solved_.push_back(slot);
        }
    }
    dirty_flows_.clear();
    if (removals_ > 64 + flow_count_ / 4) {
        rebuild_components();
    }
    return solved_;
}

double MaxMinSolver::use(std::uint32_t channel) const {
    double sum = 0.0;
    for (Crossing const& crossing : channels_[channel].crossings) {
        sum += hops(crossing.slot)[crossing.hop].weight * rates_[crossing.slot];
    }
    return sum;
}

} // namespace keyswap::simulator
