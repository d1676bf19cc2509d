#pragma once

/// \file Max-min fair sharing of channels by flows.
///
/// A flow f crosses channels c with weight w(f,c) > 0 (channel bytes per byte of the flow) and may
/// have a ceiling m(f). Rates x are feasible if
///
///     sum over f of w(f,c) x(f) <= capacity(c)   for each channel c,      0 <= x(f) <= m(f),
///
/// and max-min fair if no rate can be raised without lowering one that is not larger. That
/// holds, for exactly one x, if and only if each flow is at its ceiling or crosses a saturated
/// channel on which no flow is faster (Bertsekas, Gallager: Data Networks, 2nd ed., section 6.5.2).
///
/// Progressive filling finds it: the rates of all unfixed flows rise together; channel c saturates
/// at the level
///
///     level(c) = (capacity(c) - sum over fixed f of w(f,c) x(f)) / sum over unfixed f of w(f,c);
///
/// the smallest level (or ceiling) is reached first and fixes its flows; repeat. level(c) never
/// falls while other channels are fixed at lower levels: they take at most a flow's share of c's
/// remaining capacity. So outdated levels in a heap are valid lower bounds, and a channel's level
/// is recomputed only when it reaches the top.
///
/// When a flow that was fixed at rate r is removed, filling is unchanged up to level r: its
/// channels saturate at r or above, and without it even later. When a flow is added, filling is
/// unchanged up to any level at which its channels, with the flow added, are not yet saturated. So
/// checkpoints of the filling are kept, and a change repeats only what follows the last checkpoint
/// that is still valid.

#include "simulator/platform/channel_share.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace keyswap::simulator {

inline constexpr double no_ceiling = std::numeric_limits<double>::infinity();

/// Maintains the rates of a changing set of flows. Re-solves only the part of the network that a
/// change can reach through shared channels.
///
/// Channels that cannot bind are excluded from the solution: if all flows of c also cross one of a
/// few other channels e ("covers") whose combined capacity does not exceed c's, c never limits a
/// rate. A cover must be smaller than c by (capacity, index), so that two equal channels in series
/// never exclude each other.
class MaxMinSolver {
  public:
    using Slot = std::uint32_t; ///< of a flow; reused after remove()

    /// \param capacities [channel], each > 0, in any one unit
    explicit MaxMinSolver(std::span<double const> capacities);

    /// Adds a flow; its rate is 0 until solve(). \pre shares is not empty or ceiling is finite;
    /// channels are distinct; weights and ceiling > 0
    Slot add(std::span<ChannelShare const> shares, double ceiling = no_ceiling);
    /// \pre slot is in use
    void remove(Slot slot);

    /// Recomputes outdated rates. \return the flows that were recomputed, even if with equal rates
    std::span<Slot const> solve();

    [[nodiscard]] double rate(Slot slot) const { return rates_[slot]; }
    [[nodiscard]] std::uint32_t slot_count() const {
        return static_cast<std::uint32_t>(rates_.size());
    }
    [[nodiscard]] std::uint32_t flow_count() const { return flow_count_; }
    /// Sum of w x over the flows on a channel, at their current rates.
    [[nodiscard]] double use(std::uint32_t channel) const;
    [[nodiscard]] std::uint32_t flow_count(std::uint32_t channel) const {
        return static_cast<std::uint32_t>(channels_[channel].crossings.size());
    }

    /// Marks the channels of a flow whose rate the caller saw change. \pre slot is in use
    void note_changed(Slot slot);
    /// Channels of flows that were added, removed or noted since the previous call, without
    /// duplicates; the use of all others is unchanged. Valid until the next call.
    [[nodiscard]] std::span<std::uint32_t const> take_changed_channels();

  private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t covers_max = 128;        ///< a longer linear search does not pay
    static constexpr std::size_t checkpoints_wanted = 12; ///< per filling, about

    struct Hop {
        std::uint32_t channel;
        std::uint32_t position; ///< index in the channel's crossings
        std::uint32_t cover;    ///< channel, or none
        double weight;
    };
    /// A hop over a binding channel, compact for the inner loop.
    struct FillHop {
        std::uint32_t channel;
        double weight;
    };
    struct Crossing {
        Slot slot;
        std::uint32_t hop;  ///< index of the hop in that flow
        std::uint32_t rest; ///< the flow's other binding channel, if it has just one, or one of the
                            ///< two constants below
    };
    static constexpr std::uint32_t rest_none = none; ///< none; this one has weight 1
    static constexpr std::uint32_t rest_several = none - 1;
    struct Cover {
        std::uint32_t channel;
        std::uint32_t count;
        double ratio; ///< largest w(f,c) / w(f,cover)
    };
    struct ChannelState {
        double capacity = 0.0;
        double weight_sum = 0.0;
        double cover_sum = 0.0;            ///< most that the covers let through
        double capped_sum = 0.0;           ///< sum of w m over uncovered flows with a ceiling
        std::uint32_t capped_count = 0;    ///< uncovered flows with a ceiling
        std::uint32_t uncovered_count = 0; ///< flows with neither
        std::uint32_t parent = 0;          ///< union-find of channels with common flows
        std::uint32_t next = 0;            ///< circular list of the component
        std::vector<Crossing> crossings;
        std::vector<Cover> covers;
    };
    /// State of a channel that filling changes.
    struct Filling {
        double rest = 0.0;   ///< capacity not used by fixed flows
        double weight = 0.0; ///< sum over unfixed flows
        std::uint32_t count = 0;
    };
    struct Checkpoint {
        double level = 0.0;
        std::size_t fixed_count = 0;   ///< size of fixed_ at this point
        std::vector<Filling> fillings; ///< [component_]
    };
    struct Level {
        double level;
        std::uint32_t channel;
        friend bool operator>(Level const& a, Level const& b) {
            return a.level > b.level || (a.level == b.level && a.channel > b.channel);
        }
    };

    [[nodiscard]] std::span<Hop> hops(Slot slot) {
        return {hops_.data() + hop_begin_[slot], hop_count_[slot]};
    }
    [[nodiscard]] std::span<Hop const> hops(Slot slot) const {
        return {hops_.data() + hop_begin_[slot], hop_count_[slot]};
    }
    [[nodiscard]] std::span<FillHop const> fill_hops(Slot slot) const {
        return {fill_hops_.data() + hop_begin_[slot], fill_hop_count_[slot]};
    }
    [[nodiscard]] bool smaller(std::uint32_t a, std::uint32_t b) const;
    [[nodiscard]] std::uint32_t nearest_cover(std::span<ChannelShare const> shares,
                                              std::size_t at) const;
    Slot take_slot(std::size_t hop_count);
    void attach(Slot slot, std::uint32_t hop, std::span<ChannelShare const> shares);
    void detach(Slot slot, std::uint32_t hop);
    void add_cover(ChannelState& channel, std::uint32_t cover, double ratio);
    void remove_cover(ChannelState& channel, std::uint32_t cover);
    void update_binding(std::uint32_t channel);
    void refresh_fill_hops(Slot slot);
    void mark_dirty(std::uint32_t channel);
    void note_changed_channel(std::uint32_t channel);
    [[nodiscard]] std::uint32_t find(std::uint32_t channel);
    void unite(std::uint32_t a, std::uint32_t b);
    void unite_channels_of(Slot slot);
    void rebuild_components();
    void keep_checkpoints_for_added(Slot slot);
    void keep_checkpoints_for_removed(Slot slot);
    void collect_component();
    void restart();
    void unfix_from(std::size_t place);
    void save_checkpoint(double level);
    void fill();
    [[nodiscard]] bool is_below_children(double level) const;
    void sift_down_top();
    double fill_ceilings(double level);
    void fix_all(std::uint32_t channel, double rate);
    void fix_one(Slot slot, double rate);
    void take_route(Slot slot, double rate);
    [[nodiscard]] bool is_in_component(Slot slot) const;

    std::vector<ChannelState> channels_;
    std::vector<Filling> filling_;
    std::vector<char> is_binding_; ///< false: cannot limit any flow

    std::vector<Hop> hops_;
    std::vector<FillHop> fill_hops_;       ///< same begin as hops_
    std::vector<std::uint32_t> hop_begin_; ///< by slot, as are the next eight
    std::vector<std::uint32_t> hop_count_;
    std::vector<std::uint32_t> fill_hop_count_;
    std::vector<std::uint32_t> hop_room_;
    std::vector<double> rates_;
    std::vector<double> ceilings_;
    std::vector<char> is_fixed_;        ///< by slot: is in fixed_
    std::vector<std::uint32_t> places_; ///< by slot: index in fixed_, if it is there
    std::vector<char> is_used_;
    std::vector<Slot> free_slots_;
    std::uint32_t flow_count_ = 0;

    std::set<std::pair<double, Slot>> by_ceiling_; ///< flows with a ceiling
    std::set<std::pair<double, Slot>>::const_iterator next_ceiling_;
    std::vector<std::uint32_t> dirty_; ///< channels
    std::vector<char> is_dirty_;
    std::vector<std::uint32_t> changed_; ///< channels, for take_changed_channels
    std::vector<std::uint32_t> taken_;   ///< its latest result
    std::vector<char> is_changed_;
    std::vector<Slot> dirty_flows_; ///< may cross no binding channel
    std::uint64_t removals_ = 0;    ///< since components were rebuilt

    std::vector<std::uint32_t> component_;       ///< channels of the latest filling
    std::vector<std::uint32_t> component_place_; ///< by channel; none = not in component_
    std::vector<Checkpoint> checkpoints_;        ///< of that filling
    std::size_t checkpoint_count_ = 0;           ///< valid ones; others keep their memory for reuse
    std::vector<Slot> fixed_;                    ///< in the order of fixing
    std::vector<Level> heap_;
    std::vector<Slot> solved_;
};

} // namespace keyswap::simulator
