#pragma once

/// \file Every run of a few threads on a weak memory, by a search of all states.
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
/// A word keeps all values that it has had. A load returns any that is not older than what its
/// thread knows of the word; acquire, fences and barriers pass on what others know. This is the
/// release/acquire memory of C++ with relaxed accesses and fences (Kang et al.: A promising
/// semantics for relaxed-memory concurrency, POPL 2017) without promises: no load sees a store that
/// is made only after it. Scopes are not distinguished.
///
/// A thread runs again from its beginning for each step, with the answers that it has had: it may
/// be any code whose only state lies in its operations.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// Index of a word in memory.
using Word = std::size_t;
using FinalWords = std::vector<std::uint64_t>;

/// Of an access to a word. No other thread may store to it during a plain one.
enum class Order { plain, relaxed, acquire, release };

/// Threads that wait for one another.
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

/// What a thread's code does to memory.
class WeakThread {
  public:
    explicit WeakThread(std::vector<std::uint64_t> const& answers) : answers_(answers) {}

    std::uint64_t load(Word word, Order order = Order::plain) {
        return ask({Operation::Kind::load, word, 0, order});
    }
    void store(Word word, std::uint64_t value, Order order = Order::plain) {
        ask({Operation::Kind::store, word, value, order});
    }
    /// atomicAdd. \returns the value before
    std::uint64_t add(Word word, std::uint64_t value) {
        return ask({Operation::Kind::add, word, value});
    }
    /// __threadfence
    void fence() { ask({Operation::Kind::fence}); }
    /// __syncwarp, __syncthreads, or that of a cooperative launch
    void barrier(Group group) { ask({.kind = Operation::Kind::barrier, .group = group}); }
    /// Over its warp, which orders no memory.
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
    std::string problem;           ///< empty if every run ends right
    std::vector<std::string> path; ///< the steps to the problem
    std::size_t states = 0;
};

class WeakProgram {
  public:
    Word word(std::string name, std::uint64_t initial = 0);
    std::vector<Word> words(std::string const& name, std::size_t count, std::uint64_t initial = 0);
    void add_thread(ThreadPlace place, std::function<void(WeakThread&)> code);
    /// Blocks start in the order of their index, when one of so many slots is free (default: all at
    /// once).
    void set_slots(std::size_t slots) { slots_ = slots; }

    /// Searches until the first problem: a wrong end, a race of plain accesses, stores that nothing
    /// orders, threads that wait for ever.
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
