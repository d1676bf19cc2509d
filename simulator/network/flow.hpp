#pragma once

/// \file Flows in time: bytes that move at max-min fair rates until they are done.

#include "simulator/network/max_min.hpp"
#include "simulator/platform/sim_time.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace keyswap::simulator {

/// A flow that is done.
struct FlowEnd {
    std::uint32_t tag = 0; ///< as given to start
    SimTime at;
    friend bool operator==(FlowEnd const&, FlowEnd const&) = default;
};

/// The set of current flows. Rates hold between two solutions; a solution follows every start and
/// end.
///
/// With a tolerance t > 0 an end may be followed by others before the next solution: a flow that
/// ends at T having started at S frees its share at the latest at T + t (T - S). Ends themselves
/// keep their own times. Rates are always solved at once after a start.
class FlowSet {
  public:
    using Slot = MaxMinSolver::Slot;

    FlowSet(std::span<double const> capacities_Bps, double rate_tolerance = 0.0);

    /// Starts a flow now. \pre size_bytes > 0; see MaxMinSolver::add
    /// \return what restart knows it by until it ends
    Slot start(std::uint32_t tag,
               std::span<ChannelShare const> shares,
               double size_bytes,
               double ceiling_Bps = no_ceiling);

    /// Lets the rest of a flow go on by another route or with another ceiling from now on.
    /// \pre slot is of a flow that has not ended
    Slot restart(Slot slot, std::span<ChannelShare const> shares, double ceiling_Bps = no_ceiling);

    [[nodiscard]] bool empty() const { return active_.empty(); }
    [[nodiscard]] SimTime now() const { return now_; }

    /// Brings rates up to date and says when the next flow ends or a postponed solution is due.
    /// \pre not empty
    [[nodiscard]] SimTime next_event();

    /// Moves the clock. \pre now() <= time <= next_event()
    /// \return the flows that end then, ascending by tag
    std::span<FlowEnd const> advance(SimTime time);

    [[nodiscard]] std::uint64_t solve_count() const { return solves_; }

    /// Rate in bytes a second over a channel now. \pre next_event was called after the last start
    [[nodiscard]] double use_Bps(std::uint32_t channel) const { return solver_.use(channel); }

    /// The channels whose rate may have changed since the last call, each once; valid until the
    /// next one.
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
    SimTime solve_due_ = sim_time_max; ///< rates are out of date since an end; sim_time_max = not
    bool must_solve_ = false;          ///< since a start
    std::uint64_t solves_ = 0;

    struct Motion {
        double remaining = 0.0; ///< bytes at `since`
        double rate = 0.0;      ///< bytes a picosecond
        std::int64_t since = 0;
    };
    std::vector<Motion> motions_;      ///< by slot
    std::vector<std::int64_t> ends_;   ///< by place in active_, in ps
    std::vector<std::int64_t> starts_; ///< by slot
    std::vector<std::uint32_t> tags_;  ///< by slot
    std::vector<Slot> active_;
    std::vector<std::size_t> places_; ///< by slot, in active_
    /// Ends before the next solution, ascending: they are known once rates are solved.
    std::vector<std::pair<std::int64_t, Slot>> upcoming_;
    std::size_t next_upcoming_ = 0;
    std::vector<FlowEnd> ended_;
};

} // namespace keyswap::simulator
