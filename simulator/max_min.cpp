#include "simulator/max_min.hpp"

#include "traces/contracts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace keyswap::simulator {

MaxMinSolver::MaxMinSolver(std::span<double const> capacities)
    : channels_(capacities.size()), filling_(capacities.size()), is_binding_(capacities.size(), 0),
      is_dirty_(capacities.size(), 0), in_component_(capacities.size(), 0) {
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

std::uint32_t MaxMinSolver::nearest_cover(std::span<ChannelShare const> shares,
                                          std::size_t at) const {
    for (std::size_t distance = 1; distance < shares.size(); ++distance) {
        if (distance <= at && smaller(shares[at - distance].channel, shares[at].channel)) {
            return shares[at - distance].channel;
        }
        if (at + distance < shares.size() &&
            smaller(shares[at + distance].channel, shares[at].channel)) {
            return shares[at + distance].channel;
        }
    }
    return none;
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
    rates_.push_back(0.0);
    ceilings_.push_back(no_ceiling);
    fixed_in_.push_back(0);
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
    // A ceiling that no route can reach is none; one equal to it is kept by the channel itself.
    ceilings_[slot] = ceiling < natural ? ceiling : no_ceiling;
    rates_[slot] = 0.0;
    fixed_in_[slot] = 0;
    is_used_[slot] = 1;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        std::uint32_t const cover = nearest_cover(shares, i);
        hops_[hop_begin_[slot] + i] = Hop{shares[i].channel, 0, cover, shares[i].weight};
    }
    for (std::uint32_t hop = 0; hop < shares.size(); ++hop) {
        attach(slot, hop, shares);
    }
    if (ceilings_[slot] < no_ceiling) {
        std::pair const entry{ceilings_[slot], slot};
        by_ceiling_.insert(std::lower_bound(by_ceiling_.begin(), by_ceiling_.end(), entry), entry);
    }
    unite_channels_of(slot);
    dirty_flows_.push_back(slot);
    ++flow_count_;
    return slot;
}

void MaxMinSolver::attach(Slot slot, std::uint32_t hop, std::span<ChannelShare const> shares) {
    Hop& crossing = hops(slot)[hop];
    ChannelState& channel = channels_[crossing.channel];
    crossing.position = static_cast<std::uint32_t>(channel.crossings.size());
    channel.crossings.push_back(Crossing{slot, hop});
    channel.weight_sum += crossing.weight;
    if (crossing.cover != none) {
        auto const share = std::find_if(shares.begin(), shares.end(), [&](ChannelShare const& s) {
            return s.channel == crossing.cover;
        });
        double const ratio = crossing.weight / share->weight;
        auto const cover =
            std::find_if(channel.covers.begin(), channel.covers.end(), [&](Cover const& c) {
                return c.channel == crossing.cover;
            });
        if (cover != channel.covers.end()) {
            ++cover->count;
            if (ratio > cover->ratio) {
                channel.cover_sum += (ratio - cover->ratio) * channels_[crossing.cover].capacity;
                cover->ratio = ratio;
            }
        } else if (channel.covers.size() < covers_max) {
            channel.covers.push_back(Cover{crossing.cover, 1, ratio});
            channel.cover_sum += ratio * channels_[crossing.cover].capacity;
        } else {
            crossing.cover = none;
        }
    }
    if (crossing.cover == none) {
        if (ceilings_[slot] < no_ceiling) {
            ++channel.capped_count;
            channel.capped_sum += crossing.weight * ceilings_[slot];
        } else {
            ++channel.uncovered_count;
        }
    }
    update_binding(crossing.channel);
    mark_dirty(crossing.channel);
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
        auto const cover =
            std::find_if(channel.covers.begin(), channel.covers.end(), [&](Cover const& c) {
                return c.channel == crossing.cover;
            });
        if (--cover->count == 0) {
            channel.cover_sum -= cover->ratio * channels_[cover->channel].capacity;
            *cover = channel.covers.back();
            channel.covers.pop_back();
            channel.cover_sum = channel.covers.empty() ? 0.0 : channel.cover_sum;
        }
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
}

void MaxMinSolver::remove(Slot slot) {
    KEYSWAP_EXPECTS(slot < is_used_.size() && is_used_[slot] != 0);
    for (std::uint32_t hop = 0; hop < hop_count_[slot]; ++hop) {
        detach(slot, hop);
    }
    if (ceilings_[slot] < no_ceiling) {
        std::pair const entry{ceilings_[slot], slot};
        by_ceiling_.erase(std::lower_bound(by_ceiling_.begin(), by_ceiling_.end(), entry));
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
    for (Crossing const& crossing : channel.crossings) {
        if (binding) {
            unite_channels_of(crossing.slot);
        } else if (ceilings_[crossing.slot] < no_ceiling) {
            dirty_flows_.push_back(crossing.slot); // its ceiling alone may now hold it
        }
    }
}

void MaxMinSolver::mark_dirty(std::uint32_t channel) {
    if (is_dirty_[channel] == 0) {
        is_dirty_[channel] = 1;
        dirty_.push_back(channel);
    }
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
        std::swap(channels_[a].next, channels_[b].next); // joins the two circles
    }
}

void MaxMinSolver::unite_channels_of(Slot slot) {
    std::uint32_t first = none;
    for (Hop const& hop : hops(slot)) {
        if (is_binding_[hop.channel] == 0) {
            continue;
        }
        if (first == none) {
            first = hop.channel;
        } else {
            unite(first, hop.channel);
        }
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
}

void MaxMinSolver::collect_component() {
    for (std::uint32_t const channel : component_) {
        in_component_[channel] = 0;
    }
    component_.clear();
    for (std::uint32_t const start : dirty_) {
        is_dirty_[start] = 0;
        // The whole circle is inside as soon as one member is.
        for (std::uint32_t at = start; in_component_[at] == 0; at = channels_[at].next) {
            in_component_[at] = 1;
            component_.push_back(at);
        }
    }
    dirty_.clear();
}

bool MaxMinSolver::is_in_component(Slot slot) const {
    auto const route = hops(slot);
    return std::any_of(route.begin(), route.end(), [&](Hop const& hop) {
        return is_binding_[hop.channel] != 0 && in_component_[hop.channel] != 0;
    });
}

void MaxMinSolver::fix(Slot slot, double rate) {
    fixed_in_[slot] = solution_;
    rates_[slot] = rate;
    solved_.push_back(slot);
    for (Hop const& hop : hops(slot)) {
        Filling& filling = filling_[hop.channel];
        filling.rest -= hop.weight * rate;
        filling.weight -= hop.weight;
        --filling.count;
    }
}

void MaxMinSolver::fix_crossings(std::uint32_t channel, double level) {
    for (Crossing const& crossing : channels_[channel].crossings) {
        if (fixed_in_[crossing.slot] != solution_) {
            fix(crossing.slot, level);
        }
    }
}

/// Fixes flows of the component whose ceilings are reached at or below `level`.
void MaxMinSolver::fill_ceilings(std::size_t& next, double level) {
    for (; next < by_ceiling_.size() && by_ceiling_[next].first <= level; ++next) {
        auto const [ceiling, slot] = by_ceiling_[next];
        if (fixed_in_[slot] != solution_ && is_in_component(slot)) {
            fix(slot, ceiling);
        }
    }
}

void MaxMinSolver::fill() {
    heap_.clear();
    for (std::uint32_t const channel : component_) {
        ChannelState const& state = channels_[channel];
        auto const count = static_cast<std::uint32_t>(state.crossings.size());
        filling_[channel] = Filling{state.capacity, state.weight_sum, count};
        if (is_binding_[channel] != 0 && count > 0) {
            heap_.push_back(Level{state.capacity / state.weight_sum, channel});
        }
    }
    std::greater<> const later;
    std::make_heap(heap_.begin(), heap_.end(), later);
    std::size_t next_ceiling = 0;
    while (!heap_.empty()) {
        fill_ceilings(next_ceiling, heap_.front().level);
        std::pop_heap(heap_.begin(), heap_.end(), later);
        Level top = heap_.back();
        heap_.pop_back();
        Filling const& filling = filling_[top.channel];
        if (filling.count == 0) {
            continue;
        }
        // Rounding may leave a rest below what an equal level asks for: levels never fall.
        double const level = std::max(top.level, filling.rest / filling.weight);
        double const ceiling =
            next_ceiling < by_ceiling_.size() ? by_ceiling_[next_ceiling].first : no_ceiling;
        bool const others_first =
            ceiling < level || (!heap_.empty() && heap_.front().level < level);
        if (level > top.level && others_first) {
            top.level = level;
            heap_.push_back(top);
            std::push_heap(heap_.begin(), heap_.end(), later);
        } else {
            fix_crossings(top.channel, level);
        }
    }
}

std::span<MaxMinSolver::Slot const> MaxMinSolver::solve() {
    ++solution_;
    solved_.clear();
    collect_component();
    fill();
    // What crosses no binding channel is held by its ceiling alone.
    for (Slot const slot : dirty_flows_) {
        if (is_used_[slot] != 0 && fixed_in_[slot] != solution_) {
            KEYSWAP_ENSURES(ceilings_[slot] < no_ceiling);
            fixed_in_[slot] = solution_;
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

std::vector<double> max_min_rates(std::span<double const> capacities,
                                  std::span<FlowDemand const> flows) {
    MaxMinSolver solver(capacities);
    std::vector<MaxMinSolver::Slot> slots;
    slots.reserve(flows.size());
    for (FlowDemand const& flow : flows) {
        slots.push_back(solver.add(flow.shares, flow.ceiling));
    }
    static_cast<void>(solver.solve());
    std::vector<double> rates;
    rates.reserve(flows.size());
    for (MaxMinSolver::Slot const slot : slots) {
        rates.push_back(solver.rate(slot));
    }
    return rates;
}

} // namespace keyswap::simulator
