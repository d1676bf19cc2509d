#pragma once

/// \file Exhaustive search of all executions of a few threads on a weak memory model.
///
///     WeakProgram program;
///     Word const value = program.word("value");
///     Word const flag = program.word("flag");
///     Word const seen = program.word("seen");
///     program.add_thread({.block = 0}, [=](WeakThread& own) {
///         own.store(value, 7, Order::relaxed);
///         own.store(flag, 1, Order::release);
///     });
///     program.add_thread({.block = 1}, [=](WeakThread& own) {
///         while (own.load(flag, Order::acquire) == 0) {
///         }
///         own.store(seen, own.load(value, Order::relaxed));
///     });
///     auto const check = [=](FinalWords const& words) { return words[seen] == 7; };
///     EXPECT_EQ(program.search(check).problem, "");
///
/// A word keeps its whole history of values. A load returns any value not older than what its
/// thread has observed; acquire loads, fences and barriers transfer observations between threads.
/// This is the release/acquire memory of C++ with relaxed accesses and fences (Kang et al.: A
/// promising semantics for relaxed-memory concurrency, POPL 2017) without promises: no load sees a
/// later store. Scopes are not distinguished.
///
/// A thread is re-executed from its beginning for each step, with the answers recorded so far: its
/// code must be deterministic and keep no other state.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// Index of a word in memory.
using Word = std::size_t;
using FinalWords = std::vector<std::uint64_t>;

/// Memory order of an access; a plain access must not race with a store of another thread.
enum class Order { plain, relaxed, acquire, release };

/// Threads that a barrier synchronizes.
enum class Group { warp, block, grid };

struct Operation {
    enum class Kind { load, store, add, fence, barrier, sum };
    Kind kind;
    Word word = 0;
    std::uint64_t value = 0;
    Order order = Order::relaxed;
    Group group = Group::warp;
    friend bool operator==(Operation const&, Operation const&) = default;
};

/// Memory operations of a thread under test.
class WeakThread {
  public:
    explicit WeakThread(std::vector<std::uint64_t> const& answers) : answers_(answers) {}

    std::uint64_t load(Word word, Order order = Order::plain) {
        return ask({Operation::Kind::load, word, 0, order});
    }
    void store(Word word, std::uint64_t value, Order order = Order::plain) {
        ask({Operation::Kind::store, word, value, order});
    }
    /// atomicAdd(). \returns the previous value
    std::uint64_t add(Word word, std::uint64_t value) {
        return ask({Operation::Kind::add, word, value});
    }
    /// __threadfence()
    void fence() { ask({Operation::Kind::fence}); }
    /// __syncwarp(), __syncthreads(), or the grid barrier of a cooperative launch
    void barrier(Group group) { ask({.kind = Operation::Kind::barrier, .group = group}); }
    /// Sum over the warp; does not order memory.
    std::uint64_t sum(std::uint64_t value) { return ask({Operation::Kind::sum, 0, value}); }

  private:
    std::uint64_t ask(Operation const& operation);

    std::vector<std::uint64_t> const& answers_;
    std::size_t next_ = 0;
};

struct ThreadPlace {
    std::size_t block = 0;
    std::size_t warp = 0;
};

struct SearchResult {
    std::string problem;           ///< empty if every execution is correct
    std::vector<std::string> path; ///< steps that lead to the problem
    std::size_t states = 0;
};

class WeakProgram {
  public:
    Word word(std::string name, std::uint64_t initial = 0);
    std::vector<Word> words(std::string const& name, std::size_t count, std::uint64_t initial = 0);
    void add_thread(ThreadPlace place, std::function<void(WeakThread&)> code);
    /// Limits concurrently running blocks; blocks start in index order as slots become free
    /// (default: all at once).
    void set_slots(std::size_t slots) { slots_ = slots; }

    /// Searches until the first problem: an incorrect final state, a data race of plain accesses,
    /// unordered stores, or a deadlock.
    [[nodiscard]] SearchResult search(std::function<bool(FinalWords const&)> const& is_right) const;

  private:
    friend class WeakSearch;
    struct Thread {
        ThreadPlace place;
        std::function<void(WeakThread&)> code;
    };
    std::vector<std::string> names_;
    std::vector<std::uint64_t> initial_;
    std::vector<Thread> threads_;
    std::size_t slots_ = SIZE_MAX;
};

} // namespace keyswap::proptests
