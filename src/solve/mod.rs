//! Every position: reachability, backward induction, solving by search.
