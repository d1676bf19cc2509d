#pragma once

/// \file Flows over time: each moves its bytes at its max-min fair rate until they are done.

#include "simulator/network/max_min.hpp"
#include "simulator/platform/sim_time.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace keyswap::simulator {

/// The set of active flows. Rates are solved after every start and end, and are constant in
/// between.
///
/// With a tolerance t > 0 several ends may share one solution: a flow that started at S and ends at
/// T frees its share no later than T + t (T - S). End times themselves are not delayed. A start
/// always triggers a solution at once.
class FlowSet {
  public:
    using Slot = MaxMinSolver::Slot;

    FlowSet(std::span<double const> capacities_Bps, double rate_tolerance = 0.0);

    /// Starts a flow now. \pre size_bytes > 0; see MaxMinSolver::add
    /// \return handle for restart(), valid until the flow ends
    Slot start(std::uint32_t tag,
               std::span<ChannelShare const> shares,
               double size_bytes,
               double ceiling_Bps = no_ceiling);

    /// Continues the rest of a flow over another route or with another ceiling from now on.
    /// \pre the flow of this slot has not ended
    Slot restart(Slot slot, std::span<ChannelShare const> shares, double ceiling_Bps = no_ceiling);

    [[nodiscard]] bool empty() const { return active_.empty(); }
    [[nodiscard]] SimTime now() const { return now_; }

    /// Updates the rates. \return the next time at which a flow ends or a postponed solution is due
    /// \pre not empty
    [[nodiscard]] SimTime next_event();

    /// Advances the clock. \pre now() <= time <= next_event()
    /// \return tags of the flows that end at `time`, ascending
    std::span<std::uint32_t const> advance(SimTime time);

    [[nodiscard]] std::uint64_t solve_count() const { return solves_; }

    /// Bytes per second on a channel now. \pre next_event() was called after the last start
    [[nodiscard]] double use_Bps(std::uint32_t channel) const { return solver_.use(channel); }

    /// Channels whose rate may have changed since the previous call, without duplicates; valid
    /// until the next call.
    [[nodiscard]] std::span<std::uint32_t const> take_changed_channels() {
        return solver_.take_changed_channels();
    }

  private:
    void solve_rates();
    void find_upcoming();
    void forget(Slot slot);

    MaxMinSolver solver_;
    double tolerance_;
    SimTime now_;
    SimTime solve_due_ = sim_time_max; ///< due time of the next solution; sim_time_max: none
    bool must_solve_ = false;          ///< a flow started
    std::uint64_t solves_ = 0;

    struct Motion {
        double remaining = 0.0; ///< bytes left at `since`
        double rate = 0.0;      ///< bytes per picosecond
        std::int64_t since = 0;
    };
    std::vector<Motion> motions_;      ///< by slot
    std::vector<std::int64_t> ends_;   ///< by index in active_, in ps
    std::vector<std::int64_t> starts_; ///< by slot
    std::vector<std::uint32_t> tags_;  ///< by slot
    std::vector<Slot> active_;
    std::vector<std::size_t> places_; ///< by slot: index in active_
    /// Ends before the next solution, ascending; found after each solution.
    std::vector<std::pair<std::int64_t, Slot>> upcoming_;
    std::size_t next_upcoming_ = 0;
    std::vector<std::uint32_t> ended_; ///< tags
};

} // namespace keyswap::simulator
