//! Processes started by MPI: `mpirun -n 4 zermelo solve ...`.
//!
//! Only one thread calls MPI; the others send it their exchanges. Not every implementation allows
//! calls from several threads. That thread polls for the end of an exchange, because waiting inside
//! MPI would take a whole core.

use crate::game::{Lost, Transport};
use mpi::collective::CommunicatorCollectives;
use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::{Count, Threading};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Most bytes that a process sends at once to all processes.
///
/// The counts of MPI have 31 bits.
const LONGEST: usize = 1 << 30;

/// Longest time for an exchange after a cancellation.
///
/// After that, the other processes count as lost.
///
/// The launcher ends all processes a moment after one has died.
const PATIENCE: Duration = Duration::from_millis(400);

/// Returns whether this process was started by `mpirun`, `srun` or the like.
#[must_use]
pub fn is_started_by_mpi() -> bool {
    let names = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"];
    names.iter().any(|name| std::env::var_os(name).is_some())
}

/// One process of an MPI job.
pub struct MpiProcess {
    rank: usize,
    size: usize,
    on_this_machine: usize,
    longest: usize,
    /// Orders for the thread that calls MPI.
    orders: Mutex<Option<Sender<Order>>>,
    is_lost: AtomicBool,
    thread: Mutex<Option<JoinHandle<()>>>,
}

enum Order {
    Exchange(Exchange),
    Abort(i32),
}

struct Exchange {
    outgoing: Vec<Vec<u8>>,
    lengths: Vec<usize>,
    answer: Sender<Result<Vec<Vec<u8>>, Lost>>,
}

/// The error if MPI can't be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("MPI can't be started, or was started before")]
pub struct NoMpi;

impl MpiProcess {
    /// Starts MPI, at most once per process. `wants_to_stop` reports cancellation.
    ///
    /// # Errors
    /// If MPI can't be started.
    pub fn begin(wants_to_stop: fn() -> bool) -> Result<MpiProcess, NoMpi> {
        let (orders, receiver) = channel();
        let (send, received) = channel();
        let thread = std::thread::Builder::new()
            .name("mpi".into())
            .spawn(move || {
                let universe = mpi::initialize_with_threading(Threading::Funneled);
                let Some((universe, _)) = universe else {
                    return;
                };
                let world = universe.world();
                let near = world.split_shared(world.rank());
                let _ = send.send([world.rank(), world.size(), near.size()]);
                serve(&world, &receiver, wants_to_stop);
            });
        let thread = thread.map_err(|_| NoMpi)?;
        let [rank, size, near] = received
            .recv()
            .map_err(|_| NoMpi)?
            .map(|number| number as usize);
        Ok(MpiProcess {
            rank,
            size,
            on_this_machine: near,
            longest: (LONGEST / size).max(1 << 10),
            orders: Mutex::new(Some(orders)),
            is_lost: AtomicBool::new(false),
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Returns the number of the job's processes on this machine.
    #[must_use]
    pub fn on_this_machine(&self) -> usize {
        self.on_this_machine
    }

    /// Returns whether an exchange has failed. Then this process must not wait for the others.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Relaxed)
    }

    /// Waits until all other processes call it too, and ends MPI.
    pub fn end(&self) {
        if let Ok(mut orders) = self.orders.lock() {
            *orders = None;
        }
        let thread = self.thread.lock().map(|mut thread| thread.take());
        if let Ok(Some(thread)) = thread {
            // Its panic has been reported already.
            let _ = thread.join();
        }
    }

    /// Ends all processes at once, with this exit code.
    pub fn abort(&self, code: u8) -> ! {
        if self.order(Order::Abort(code.into())).is_ok() {
            // This process ends, too.
            std::thread::sleep(Duration::from_secs(5));
        }
        std::process::exit(code.into());
    }

    fn order(&self, order: Order) -> Result<(), Lost> {
        let orders = self.orders.lock().map_err(|_| Lost)?;
        let orders = orders.as_ref().ok_or(Lost)?;
        orders.send(order).map_err(|_| Lost)
    }
}

impl Transport for MpiProcess {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn longest(&self) -> usize {
        self.longest
    }

    fn exchange(&self, outgoing: Vec<Vec<u8>>, lengths: &[usize]) -> Result<Vec<Vec<u8>>, Lost> {
        let (answer, answers) = channel();
        let exchange = Exchange {
            outgoing,
            lengths: lengths.to_vec(),
            answer,
        };
        let ordered = self.order(Order::Exchange(exchange));
        let answer = ordered.and_then(|()| answers.recv().unwrap_or(Err(Lost)));
        self.is_lost.fetch_or(answer.is_err(), Relaxed);
        answer
    }
}

/// Executes orders until no sender remains.
fn serve(world: &SimpleCommunicator, orders: &Receiver<Order>, wants_to_stop: fn() -> bool) {
    while let Ok(order) = orders.recv() {
        match order {
            Order::Abort(code) => world.abort(code),
            Order::Exchange(exchange) => exchange.make(world, orders, wants_to_stop),
        }
    }
}

impl Exchange {
    /// Exchanges messages with all processes, and sends the result to `answer`.
    fn make(
        self,
        world: &SimpleCommunicator,
        orders: &Receiver<Order>,
        wants_to_stop: fn() -> bool,
    ) {
        let counts = |lengths: &mut dyn Iterator<Item = usize>| -> Vec<Count> {
            lengths.map(|length| length as Count).collect()
        };
        let going = counts(&mut self.outgoing.iter().map(Vec::len));
        let coming = counts(&mut self.lengths.iter().copied());
        // One byte more than is sent: the address of an empty vector has a special meaning in MPI.
        let mut sent = Vec::with_capacity(self.outgoing.iter().map(Vec::len).sum::<usize>() + 1);
        for message in self.outgoing {
            sent.extend(message);
        }
        sent.push(0);
        let mut received = vec![0u8; self.lengths.iter().sum::<usize>() + 1];
        let sent = Partition::new(&sent[..], &going[..], starts(&going));
        let mut parts = PartitionMut::new(&mut received[..], &coming[..], starts(&coming));
        let began = Instant::now();
        let mut stopping: Option<Instant> = None;
        let mut is_given_up = false;
        mpi::request::scope(|scope| {
            let mut request = world.immediate_all_to_all_varcount_into(scope, &sent, &mut parts);
            while let Err(going_on) = request.test() {
                request = going_on;
                // Poll often at first, then rarely, because other threads need the cores.
                match began.elapsed().as_micros() {
                    0..50 => std::hint::spin_loop(),
                    50..2000 => std::thread::sleep(Duration::from_micros(20)),
                    _ => std::thread::sleep(Duration::from_micros(200)),
                }
                if is_given_up {
                    if let Ok(Order::Abort(code)) = orders.try_recv() {
                        world.abort(code);
                    }
                } else if wants_to_stop() {
                    let since = *stopping.get_or_insert_with(Instant::now);
                    // The request can't be cancelled, but nobody has to wait for it.
                    is_given_up = since.elapsed() > PATIENCE;
                    if is_given_up {
                        let _ = self.answer.send(Err(Lost));
                    }
                }
            }
        });
        let mut rest = &received[..];
        let messages = self.lengths.iter().map(|&length| {
            let (message, after) = rest.split_at(length);
            rest = after;
            message.to_vec()
        });
        // The receiver may have given up.
        let _ = self.answer.send(Ok(messages.collect()));
    }
}

/// Returns the offset of each block if blocks of these sizes are consecutive.
fn starts(counts: &[Count]) -> Vec<Count> {
    let mut end = 0;
    let starts = counts.iter().map(|count| {
        end += count;
        end - count
    });
    starts.collect()
}
