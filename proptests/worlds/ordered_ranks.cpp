#include "proptests/worlds/ordered_ranks.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

namespace keyswap::proptests {

class OrderedRanks::End final : public model::Communicator {
  public:
    End(OrderedRanks& ranks, std::uint32_t rank) : ranks_(ranks), rank_(rank) {}

    std::uint32_t rank() const override { return rank_; }
    std::uint32_t size() const override { return static_cast<std::uint32_t>(ranks_.ranks_.size()); }
    void exchange(std::string_view step,
                  std::span<std::span<std::byte const> const> sends,
                  std::span<std::span<std::byte> const> receives) override {
        ranks_.exchange(rank_, step, sends, receives);
    }

  private:
    OrderedRanks& ranks_;
    std::uint32_t rank_;
};

OrderedRanks::OrderedRanks(std::uint32_t count, Order order, Change change)
    : ranks_(count), steps_(count, 0),
      sent_(count, std::vector<std::deque<std::vector<std::byte>>>(count)),
      order_(std::move(order)), change_(std::move(change)) {
    KEYSWAP_EXPECTS(count > 0);
}

bool OrderedRanks::run(std::function<void(model::Communicator&)> const& work) {
    std::vector<std::jthread> threads;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        threads.emplace_back([&, rank] {
            End own(*this, rank);
            work(own);
            end(rank);
        });
    }
    return schedule();
}

void OrderedRanks::exchange(std::uint32_t rank,
                            std::string_view step,
                            std::span<std::span<std::byte const> const> sends,
                            std::span<std::span<std::byte> const> receives) {
    std::unique_lock lock(mutex_);
    Rank& own = ranks_[rank];
    for (std::uint32_t other = 0; other < ranks_.size(); ++other) {
        sent_[rank][other].emplace_back(sends[other].begin(), sends[other].end());
    }
    own.receives = receives;
    own.state = State::waiting;
    changed_.notify_all();
    changed_.wait(lock, [&own] { return own.state == State::running; });
    if (!own.problem.empty()) {
        throw model::RankFailure(std::string(step), {rank}, own.problem);
    }
}

void OrderedRanks::end(std::uint32_t rank) {
    std::lock_guard const lock(mutex_);
    ranks_[rank].state = State::ended;
    changed_.notify_all();
}

bool OrderedRanks::schedule() {
    std::unique_lock lock(mutex_);
    bool is_stuck = false;
    while (true) {
        changed_.wait(lock, [this] {
            return std::ranges::none_of(
                ranks_, [](Rank const& rank) { return rank.state == State::running; });
        });
        bool const is_over = std::ranges::all_of(
            ranks_, [](Rank const& rank) { return rank.state == State::ended; });
        if (is_over) {
            return !is_stuck;
        }
        auto const waiting = ready();
        if (waiting.empty()) {
            is_stuck = true;
            give_up();
        } else {
            deliver(waiting[order_(steps_, waiting)]);
        }
        changed_.notify_all();
    }
}

std::vector<std::uint32_t> OrderedRanks::ready() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        bool const has_all = std::ranges::none_of(
            sent_, [rank](auto const& of_source) { return of_source[rank].empty(); });
        if (ranks_[rank].state == State::waiting && has_all) {
            found.push_back(rank);
        }
    }
    return found;
}

void OrderedRanks::deliver(std::uint32_t rank) {
    std::vector<std::vector<std::byte>> messages;
    for (auto& of_source : sent_) {
        messages.push_back(std::move(of_source[rank].front()));
        of_source[rank].pop_front();
    }
    if (change_) {
        change_(rank, steps_[rank], messages);
    }
    Rank& own = ranks_[rank];
    for (std::size_t source = 0; source < messages.size(); ++source) {
        auto const place = own.receives[source];
        if (place.size() != messages[source].size()) {
            own.problem = model::wrong_size_text(messages[source].size(), place.size());
        } else if (!place.empty()) {
            std::memcpy(place.data(), messages[source].data(), place.size());
        }
    }
    ++steps_[rank];
    own.state = State::running;
}

void OrderedRanks::give_up() {
    for (Rank& rank : ranks_) {
        if (rank.state == State::waiting) {
            rank.problem = "waits for messages that nobody sends";
            rank.state = State::running;
        }
    }
}

} // namespace keyswap::proptests
