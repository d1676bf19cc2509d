/// \file Progressive filling, and the checkpoints from which it resumes after a change.

#include "simulator/network/max_min.hpp"

#include <algorithm>
#include <functional>

namespace keyswap::simulator {

/// Drops checkpoints that a new flow invalidates, and adds the flow to the others.
void MaxMinSolver::keep_checkpoints_for_added(Slot slot) {
    auto const leaves_valid = [&](Checkpoint const& checkpoint) {
        if (ceilings_[slot] < checkpoint.level) {
            return false;
        }
        for (FillHop const& hop : fill_hops(slot)) {
            if (component_place_[hop.channel] == none) {
                return false;
            }
            Filling const& filling = checkpoint.fillings[component_place_[hop.channel]];
            if (filling.rest < checkpoint.level * (filling.weight + hop.weight)) {
                return false;
            }
        }
        return true;
    };
    while (checkpoint_count_ > 0 && !leaves_valid(checkpoints_[checkpoint_count_ - 1])) {
        --checkpoint_count_;
    }
    for (std::size_t i = 0; i < checkpoint_count_; ++i) {
        for (FillHop const& hop : fill_hops(slot)) {
            Filling& filling = checkpoints_[i].fillings[component_place_[hop.channel]];
            filling.weight += hop.weight;
            ++filling.count;
        }
    }
}

/// Drops checkpoints at which the flow was already fixed, and removes the flow from the others.
void MaxMinSolver::keep_checkpoints_for_removed(Slot slot) {
    auto const route = fill_hops(slot);
    if (!is_in_component(slot)) {
        return;
    }
    while (checkpoint_count_ > 0 && is_fixed_[slot] != 0 &&
           checkpoints_[checkpoint_count_ - 1].fixed_count > places_[slot]) {
        --checkpoint_count_;
    }
    for (std::size_t i = 0; i < checkpoint_count_; ++i) {
        for (FillHop const& hop : route) {
            Filling& filling = checkpoints_[i].fillings[component_place_[hop.channel]];
            filling.weight -= hop.weight;
            --filling.count;
        }
    }
}

void MaxMinSolver::collect_component() {
    // Dirty channels that do not bind need no solution.
    for (std::uint32_t const channel : dirty_) {
        is_dirty_[channel] = 0;
        if (is_binding_[channel] != 0 && component_place_[channel] == none) {
            checkpoint_count_ = 0;
        }
    }
    if (checkpoint_count_ > 0) {
        dirty_.clear();
        return;
    }
    for (std::uint32_t const channel : component_) {
        component_place_[channel] = none;
    }
    component_.clear();
    for (std::uint32_t const start : dirty_) {
        // A circular list is either complete in component_ or absent.
        for (std::uint32_t at = start; component_place_[at] == none; at = channels_[at].next) {
            component_place_[at] = static_cast<std::uint32_t>(component_.size());
            component_.push_back(at);
        }
    }
    dirty_.clear();
}

bool MaxMinSolver::is_in_component(Slot slot) const {
    auto const route = fill_hops(slot);
    return !route.empty() && component_place_[route.front().channel] != none;
}

/// Resets filling_ and fixed_ to the last valid checkpoint, or to the start.
void MaxMinSolver::restart() {
    if (checkpoint_count_ > 0) {
        Checkpoint const& checkpoint = checkpoints_[checkpoint_count_ - 1];
        for (std::size_t i = 0; i < component_.size(); ++i) {
            filling_[component_[i]] = checkpoint.fillings[i];
        }
        unfix_from(checkpoint.fixed_count);
        return;
    }
    unfix_from(0);
    for (std::uint32_t const channel : component_) {
        ChannelState const& state = channels_[channel];
        auto const count = static_cast<std::uint32_t>(state.crossings.size());
        filling_[channel] = Filling{state.capacity, state.weight_sum, count};
    }
    save_checkpoint(0.0);
}

void MaxMinSolver::unfix_from(std::size_t place) {
    char* const is_fixed = is_fixed_.data();
    for (Slot const slot : std::span(fixed_).subspan(place)) {
        is_fixed[slot] = 0;
    }
    fixed_.resize(place);
}

void MaxMinSolver::save_checkpoint(double level) {
    if (checkpoint_count_ == checkpoints_.size()) {
        checkpoints_.emplace_back();
    }
    Checkpoint& checkpoint = checkpoints_[checkpoint_count_++];
    checkpoint.level = level;
    checkpoint.fixed_count = fixed_.size();
    checkpoint.fillings.resize(component_.size());
    for (std::size_t i = 0; i < component_.size(); ++i) {
        checkpoint.fillings[i] = filling_[component_[i]];
    }
}

/// Fixes all unfixed flows of a saturated channel. Inner loop: local pointers, as the compiler
/// cannot know that no vector grows. The channel itself is finished, so only the other channels of
/// its flows are updated.
void MaxMinSolver::fix_all(std::uint32_t channel, double rate) {
    std::span<Crossing const> const crossings = channels_[channel].crossings;
    char* const is_fixed = is_fixed_.data();
    Filling* const fillings = filling_.data();
    double* const rates = rates_.data();
    std::uint32_t* const places = places_.data();
    std::size_t const kept = fixed_.size();
    fixed_.resize(kept + crossings.size());
    Slot* const fixed = fixed_.data();
    std::size_t place = kept;
    for (Crossing const& crossing : crossings) {
        Slot const slot = crossing.slot;
        if (is_fixed[slot] != 0) {
            continue;
        }
        is_fixed[slot] = 1;
        places[slot] = static_cast<std::uint32_t>(place);
        fixed[place++] = slot;
        rates[slot] = rate;
        if (crossing.rest < rest_several) {
            Filling& filling = fillings[crossing.rest];
            filling.rest -= rate;
            filling.weight -= 1.0;
            --filling.count;
        } else if (crossing.rest == rest_several) {
            take_route(slot, rate);
        }
    }
    fixed_.resize(place);
    fillings[channel] = Filling{};
}

void MaxMinSolver::fix_one(Slot slot, double rate) {
    is_fixed_[slot] = 1;
    places_[slot] = static_cast<std::uint32_t>(fixed_.size());
    fixed_.push_back(slot);
    rates_[slot] = rate;
    take_route(slot, rate);
}

void MaxMinSolver::take_route(Slot slot, double rate) {
    for (FillHop const& hop : fill_hops(slot)) {
        Filling& filling = filling_[hop.channel];
        filling.rest -= hop.weight * rate;
        filling.weight -= hop.weight;
        --filling.count;
    }
}

/// Fixes flows of the component whose ceilings are at or below `level`.
/// \return the next ceiling
double MaxMinSolver::fill_ceilings(double level) {
    for (; next_ceiling_ != by_ceiling_.end(); ++next_ceiling_) {
        auto const [ceiling, slot] = *next_ceiling_;
        if (ceiling > level) {
            return ceiling;
        }
        if (is_in_component(slot) && is_fixed_[slot] == 0) {
            fix_one(slot, ceiling);
        }
    }
    return no_ceiling;
}

void MaxMinSolver::fill() {
    heap_.clear();
    for (std::uint32_t const channel : component_) {
        Filling const& filling = filling_[channel];
        if (is_binding_[channel] != 0 && filling.count > 0) {
            heap_.push_back(Level{filling.rest / filling.weight, channel});
        }
    }
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>{});
    next_ceiling_ = by_ceiling_.begin();
    std::size_t const checkpoint_step = 1 + flow_count_ / checkpoints_wanted;
    std::size_t next_checkpoint = fixed_.size() + checkpoint_step;
    while (!heap_.empty()) {
        double const ceiling = fill_ceilings(heap_.front().level);
        Level& top = heap_.front();
        Filling const& filling = filling_[top.channel];
        if (filling.count > 0) {
            // Levels never fall, but rounding can leave slightly less than a level needs: clamp.
            double const level = std::max(top.level, filling.rest / filling.weight);
            if (level > top.level && (level >= ceiling || !is_below_children(level))) {
                top.level = level;
                sift_down_top();
                continue;
            }
            fix_all(top.channel, level);
            if (fixed_.size() >= next_checkpoint) {
                save_checkpoint(level);
                next_checkpoint = fixed_.size() + checkpoint_step;
            }
        }
        heap_.front() = heap_.back();
        heap_.pop_back();
        sift_down_top();
    }
}

/// True if the top of the heap would still be the top with this level.
bool MaxMinSolver::is_below_children(double level) const {
    return (heap_.size() < 2 || level < heap_[1].level) &&
           (heap_.size() < 3 || level < heap_[2].level);
}

/// Restores the heap order after its top has risen; rarely descends far.
void MaxMinSolver::sift_down_top() {
    std::size_t const size = heap_.size();
    if (size < 2) {
        return;
    }
    Level* const heap = heap_.data();
    Level const moved = heap[0];
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = 2 * at + 1) {
        child += child + 1 < size && heap[child] > heap[child + 1] ? 1 : 0;
        if (!(moved > heap[child])) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

} // namespace keyswap::simulator
