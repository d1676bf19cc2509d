#include "model/ranks/thread_communicator.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <latch>
#include <mutex>
#include <thread>

namespace keyswap::model {

namespace {

using Sends = std::span<std::span<std::byte const> const>;
using Receives = std::span<std::span<std::byte> const>;

} // namespace

/// Shared board on which ranks post their messages of a step.
class ThreadRanks::Board {
  public:
    Board(std::uint32_t count, std::chrono::milliseconds patience)
        : posts_(count), patience_(patience) {}

    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(posts_.size()); }

    void exchange(std::uint32_t rank, std::string_view step, Sends sends, Receives receives) {
        std::unique_lock lock(mutex_);
        Post& own = posts_[rank];
        own.step = step;
        own.sends = sends;
        own.posted += 1;
        changed_.notify_all();
        try {
            wait_for_all(
                lock, own, [&own](Post const& other) { return other.posted >= own.posted; });
            expect_same_step(own);
            // Hold the lock while copying: a rank that fails withdraws its messages.
            take(rank, own.step, receives);
            own.taken += 1;
            changed_.notify_all();
            // Messages must remain valid until every rank has copied them.
            wait_for_all(lock, own, [&own](Post const& other) { return other.taken >= own.taken; });
        } catch (RankFailure const& failure) {
            own.leave();
            own.reason = failure.what();
            changed_.notify_all();
            throw;
        }
    }

    /// Marks the rank as gone: it takes part in no more steps.
    void leave(std::uint32_t rank) {
        std::lock_guard const lock(mutex_);
        posts_[rank].leave();
        changed_.notify_all();
    }

  private:
    struct Post {
        std::string step;
        Sends sends;
        std::uint64_t posted = 0;
        std::uint64_t taken = 0;
        bool gone = false;
        std::string reason; ///< why it left; empty if it gave no reason

        void leave() {
            gone = true;
            sends = {};
        }
    };

    template <class Condition>
    void
    wait_for_all(std::unique_lock<std::mutex>& lock, Post const& own, Condition const& condition) {
        auto const is_lost = [&](Post const& post) { return post.gone && !condition(post); };
        bool const ended = changed_.wait_for(lock, patience_, [&] {
            return std::ranges::all_of(posts_, condition) || std::ranges::any_of(posts_, is_lost);
        });
        auto const lost = ranks_where(is_lost);
        if (!lost.empty()) {
            throw RankFailure(own.step, lost, failure_reason(lost.front()));
        }
        if (!ended) {
            throw RankFailure(own.step,
                              ranks_where([&](Post const& post) { return !condition(post); }),
                              "did not answer within " + std::to_string(patience_.count()) + " ms");
        }
    }

    std::string failure_reason(std::uint32_t rank) const {
        std::string const& reason = posts_[rank].reason;
        return reason.empty() ? "ended before this step" : "reports: " + reason;
    }

    void expect_same_step(Post const& own) {
        auto const others = ranks_where([&own](Post const& post) { return post.step != own.step; });
        if (!others.empty()) {
            throw RankFailure(
                own.step, others, "had reached '" + posts_[others.front()].step + "' instead");
        }
    }

    template <class Condition>
    std::vector<std::uint32_t> ranks_where(Condition const& condition) const {
        std::vector<std::uint32_t> ranks;
        for (std::uint32_t rank = 0; rank < count(); ++rank) {
            if (condition(posts_[rank])) {
                ranks.push_back(rank);
            }
        }
        return ranks;
    }

    /// Copies the messages addressed to this rank from the senders' memory.
    void take(std::uint32_t rank, std::string const& step, Receives receives) const {
        for (std::uint32_t source = 0; source < count(); ++source) {
            if (posts_[source].gone) {
                throw RankFailure(step, {source}, failure_reason(source));
            }
            auto const message = posts_[source].sends[rank];
            auto const place = receives[source];
            if (message.size() != place.size()) {
                throw RankFailure(step, {source}, wrong_size_text(message.size(), place.size()));
            }
            if (!place.empty()) {
                std::memcpy(place.data(), message.data(), place.size());
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Post> posts_; ///< [rank]
    std::chrono::milliseconds patience_;
};

class ThreadRanks::End final : public Communicator {
  public:
    End(Board& board, std::uint32_t rank) : board_(board), rank_(rank) {}
    ~End() override { board_.leave(rank_); }

    std::uint32_t rank() const override { return rank_; }
    std::uint32_t size() const override { return board_.count(); }
    void exchange(std::string_view step, Sends sends, Receives receives) override {
        KEYSWAP_EXPECTS(sends.size() == size() && receives.size() == size());
        board_.exchange(rank_, step, sends, receives);
    }

  private:
    Board& board_;
    std::uint32_t rank_;
};

ThreadRanks::ThreadRanks(std::uint32_t count, std::chrono::milliseconds patience)
    : board_(std::make_unique<Board>(count, patience)) {
    KEYSWAP_EXPECTS(count > 0);
}

ThreadRanks::~ThreadRanks() = default;

std::unique_ptr<Communicator> ThreadRanks::end(std::uint32_t rank) {
    KEYSWAP_EXPECTS(rank < board_->count());
    return std::make_unique<End>(*board_, rank);
}

void ThreadRanks::run(std::function<void(Communicator&)> const& work) {
    // Start barrier: no rank begins unless all threads could be created.
    std::latch decided(1);
    bool complete = false;
    std::vector<std::jthread> threads;
    threads.reserve(board_->count());
    try {
        for (std::uint32_t rank = 0; rank < board_->count(); ++rank) {
            threads.emplace_back([&, rank] {
                decided.wait();
                if (complete) {
                    work(*end(rank));
                }
            });
        }
    } catch (...) {
        decided.count_down();
        throw;
    }
    complete = true;
    decided.count_down();
}

} // namespace keyswap::model
