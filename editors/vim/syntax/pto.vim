" Syntax of PTO assembly, written by `generate` from the tables of ptoasm.
if exists('b:current_syntax')
  finish
endif
syn case match
syn iskeyword @,48-57,_,$,.

syn keyword ptoInstruction arith.addf arith.addi arith.addui_extended arith.andi arith.bitcast arith.ceildivsi
syn keyword ptoInstruction arith.ceildivui arith.cmpf arith.cmpi arith.constant arith.divf arith.divsi
syn keyword ptoInstruction arith.divui arith.extf arith.extsi arith.extui arith.floordivsi arith.fptosi
syn keyword ptoInstruction arith.fptoui arith.index_cast arith.index_castui arith.maximumf arith.maxnumf
syn keyword ptoInstruction arith.maxsi arith.maxui arith.minimumf arith.minnumf arith.minsi arith.minui
syn keyword ptoInstruction arith.mulf arith.muli arith.mulsi_extended arith.mului_extended arith.negf
syn keyword ptoInstruction arith.ori arith.remf arith.remsi arith.remui arith.select arith.shli arith.shrsi
syn keyword ptoInstruction arith.shrui arith.sitofp arith.subf arith.subi arith.truncf arith.trunci
syn keyword ptoInstruction arith.uitofp arith.xori builtin.module builtin.unrealized_conversion_cast
syn keyword ptoInstruction cf.assert cf.br cf.cond_br cf.switch func.call func.func func.return llvm.alloca
syn keyword ptoInstruction llvm.bitcast llvm.extractelement llvm.getelementptr llvm.inttoptr llvm.load
syn keyword ptoInstruction llvm.ptrtoint llvm.store pto.SETFMATRIX pto.absf pto.addptr
syn keyword ptoInstruction pto.aic_initialize_pipe pto.aiv_initialize_pipe pto.alloc_multi_tile
syn keyword ptoInstruction pto.alloc_tile pto.atomic_add pto.atomic_and pto.atomic_cas pto.atomic_exch
syn keyword ptoInstruction pto.atomic_max pto.atomic_min pto.atomic_or pto.atomic_sub pto.atomic_xor
syn keyword ptoInstruction pto.barrier pto.barrier_sync pto.bitcast pto.castptr pto.ceil pto.chistv2
syn keyword ptoInstruction pto.cmo.cacheinvalid pto.comm.build_async_session pto.comm.tbroadcast
syn keyword ptoInstruction pto.comm.test_async_event pto.comm.tgather pto.comm.tget pto.comm.tget_async
syn keyword ptoInstruction pto.comm.tnotify pto.comm.tput pto.comm.tput_async pto.comm.treduce
syn keyword ptoInstruction pto.comm.tscatter pto.comm.ttest pto.comm.twait pto.comm.wait_async_event
syn keyword ptoInstruction pto.convert pto.copy_cbuf_to_bt pto.copy_cbuf_to_fbuf pto.copy_cbuf_to_ubuf
syn keyword ptoInstruction pto.copy_gm_to_cbuf pto.copy_gm_to_cbuf_multi_dn2nz
syn keyword ptoInstruction pto.copy_gm_to_cbuf_multi_nd2nz pto.copy_gm_to_ubuf pto.copy_matrix_cc_to_cbuf
syn keyword ptoInstruction pto.copy_matrix_cc_to_gm pto.copy_matrix_cc_to_ub pto.copy_ubuf_to_cbuf
syn keyword ptoInstruction pto.copy_ubuf_to_gm pto.copy_ubuf_to_ubuf pto.cos pto.create_cbuf_matrix pto.dcci
syn keyword ptoInstruction pto.declare_eventid_array pto.declare_global pto.declare_local_array
syn keyword ptoInstruction pto.declare_struct pto.declare_tile pto.dhistv2 pto.dsb pto.eventid_array_get
syn keyword ptoInstruction pto.eventid_array_set pto.exp pto.fence.barrier_all pto.floor pto.fma pto.fmax
syn keyword ptoInstruction pto.fmin pto.get_block_dim_x pto.get_block_dim_y pto.get_block_dim_z
syn keyword ptoInstruction pto.get_block_idx pto.get_block_idx_x pto.get_block_idx_y pto.get_block_idx_z
syn keyword ptoInstruction pto.get_block_num pto.get_buf pto.get_buf_dyn pto.get_clock32 pto.get_clock64
syn keyword ptoInstruction pto.get_ctrl pto.get_grid_dim_x pto.get_grid_dim_y pto.get_grid_dim_z
syn keyword ptoInstruction pto.get_laneid pto.get_lanemask_eq pto.get_lanemask_ge pto.get_lanemask_gt
syn keyword ptoInstruction pto.get_lanemask_le pto.get_lanemask_lt pto.get_prefetch_async_session
syn keyword ptoInstruction pto.get_scale_addr pto.get_subblock_idx pto.get_subblock_num
syn keyword ptoInstruction pto.get_tensor_view_dim pto.get_tensor_view_stride pto.get_tid_x pto.get_tid_y
syn keyword ptoInstruction pto.get_tid_z pto.get_validshape pto.get_veccoreid pto.get_vms4_sr
syn keyword ptoInstruction pto.import_reserved_buffer pto.init_align pto.initialize_l2g2l_pipe
syn keyword ptoInstruction pto.initialize_l2l_pipe pto.inttoptr pto.keep pto.ld_dev pto.ldg pto.load
syn keyword ptoInstruction pto.load_cbuf_to_ca pto.load_cbuf_to_ca_mx pto.load_cbuf_to_ca_s4
syn keyword ptoInstruction pto.load_cbuf_to_cb pto.load_cbuf_to_cb_mx pto.load_cbuf_to_cb_s4 pto.load_scalar
syn keyword ptoInstruction pto.local_array_get pto.local_array_set pto.log pto.mad pto.mad_acc pto.mad_bias
syn keyword ptoInstruction pto.mad_bias_raw pto.mad_mx pto.mad_mx_acc pto.mad_mx_bias pto.mad_mx_bias_raw
syn keyword ptoInstruction pto.mad_mx_raw pto.mad_raw pto.make_prefetch_async_context pto.make_tensor_view
syn keyword ptoInstruction pto.mem_bar pto.mgather pto.mscatter pto.mte_gm_l1 pto.mte_gm_l1_frac
syn keyword ptoInstruction pto.mte_gm_ub pto.mte_l0c_gm pto.mte_l0c_l1 pto.mte_l0c_ub pto.mte_l1_bt
syn keyword ptoInstruction pto.mte_l1_fb pto.mte_l1_l0a pto.mte_l1_l0a_mx pto.mte_l1_l0b pto.mte_l1_l0b_mx
syn keyword ptoInstruction pto.mte_l1_ub pto.mte_ub_gm pto.mte_ub_l1 pto.mte_ub_ub pto.mul_i32toi64 pto.mulhi
syn keyword ptoInstruction pto.multi_tile_get pto.pand pto.partition_view pto.pbitcast pto.pdintlv_b16
syn keyword ptoInstruction pto.pdintlv_b32 pto.pdintlv_b8 pto.pge_b16 pto.pge_b32 pto.pge_b8 pto.pintlv_b16
syn keyword ptoInstruction pto.pintlv_b32 pto.pintlv_b8 pto.pipe_barrier pto.pldi pto.plds pto.plt_b16
syn keyword ptoInstruction pto.plt_b32 pto.plt_b8 pto.pltm_b16 pto.pltm_b32 pto.pltm_b8 pto.pnot pto.por
syn keyword ptoInstruction pto.pow pto.ppack pto.print pto.prmt pto.psel pto.pset_b16 pto.pset_b32
syn keyword ptoInstruction pto.pset_b8 pto.psti pto.psts pto.pstu pto.ptrtoint pto.punpack pto.pxor
syn keyword ptoInstruction pto.raw_fill_l1 pto.record_event pto.redux_add pto.redux_max pto.redux_min
syn keyword ptoInstruction pto.reserve_buffer pto.resume pto.rint pto.rls_buf pto.rls_buf_dyn pto.round
syn keyword ptoInstruction pto.sbitset0 pto.sbitset1 pto.section.cube pto.section.simt pto.section.vector
syn keyword ptoInstruction pto.set_atomic_add pto.set_atomic_bf16 pto.set_atomic_f16 pto.set_atomic_f32
syn keyword ptoInstruction pto.set_atomic_max pto.set_atomic_min pto.set_atomic_none pto.set_atomic_s16
syn keyword ptoInstruction pto.set_atomic_s32 pto.set_atomic_s8 pto.set_channel_para pto.set_cross_block
syn keyword ptoInstruction pto.set_cross_core pto.set_ctrl pto.set_ffts pto.set_fix_clip_relu pto.set_flag
syn keyword ptoInstruction pto.set_flag_dyn pto.set_fpc pto.set_img2col_padding pto.set_img2col_rpt
syn keyword ptoInstruction pto.set_intra_block pto.set_loop1_stride_outtol1 pto.set_loop1_stride_outtoub
syn keyword ptoInstruction pto.set_loop1_stride_ubtoout pto.set_loop2_stride_outtol1
syn keyword ptoInstruction pto.set_loop2_stride_outtoub pto.set_loop2_stride_ubtoout pto.set_loop3_para
syn keyword ptoInstruction pto.set_loop_size_outtol1 pto.set_loop_size_outtoub pto.set_loop_size_ubtoout
syn keyword ptoInstruction pto.set_mov_pad_val pto.set_mte2_nz_para pto.set_pad_val_outtol1 pto.set_quant_pre
syn keyword ptoInstruction pto.set_quant_scalar pto.set_quant_vector pto.set_relu_alpha
syn keyword ptoInstruction pto.set_store_atomic_cfg pto.set_validshape pto.setfmatrix pto.sethf32mode
syn keyword ptoInstruction pto.settf32mode pto.shuffle_bfly pto.shuffle_down pto.shuffle_idx pto.shuffle_up
syn keyword ptoInstruction pto.simt_launch pto.sin pto.sprclr pto.sprsti pto.sprsts pto.sqrt pto.st_dev
syn keyword ptoInstruction pto.stg pto.store pto.store_scalar pto.store_vfsimt_info pto.strict_vecscope
syn keyword ptoInstruction pto.struct_get pto.struct_set pto.subset pto.subview pto.sync.set pto.sync.wait
syn keyword ptoInstruction pto.syncall pto.syncthreads pto.tabs pto.tadd pto.taddc pto.taddrelu pto.tadds
syn keyword ptoInstruction pto.taddsc pto.talias pto.talloc pto.talloc_to_aic pto.talloc_to_aiv pto.tand
syn keyword ptoInstruction pto.tands pto.tassign pto.taxpy pto.tci pto.tcmp pto.tcmps pto.tcolargmax
syn keyword ptoInstruction pto.tcolargmin pto.tcolexpand pto.tcolexpandadd pto.tcolexpanddiv
syn keyword ptoInstruction pto.tcolexpandexpdif pto.tcolexpandmax pto.tcolexpandmin pto.tcolexpandmul
syn keyword ptoInstruction pto.tcolexpandsub pto.tcolmax pto.tcolmin pto.tcolprod pto.tcolsum pto.tconcat
syn keyword ptoInstruction pto.tconcatidx pto.tcvt pto.tdeinterleave pto.tdequant pto.tdiv pto.tdivs
syn keyword ptoInstruction pto.tensor_view_addr pto.texp pto.texpands pto.textract pto.textract_fp
syn keyword ptoInstruction pto.tfillpad pto.tfillpad_expand pto.tfillpad_inplace pto.tfmod pto.tfmods
syn keyword ptoInstruction pto.tfree pto.tfree_from_aic pto.tfree_from_aiv pto.tgather pto.tgatherb pto.tgemv
syn keyword ptoInstruction pto.tgemv.acc pto.tgemv.bias pto.tgemv.mx pto.tgemv.mx.acc pto.tgemv.mx.bias
syn keyword ptoInstruction pto.tgemv_acc pto.tgemv_bias pto.tgemv_mx pto.tgemv_mx_acc pto.tgemv_mx_bias
syn keyword ptoInstruction pto.tget pto.tget_scale_addr pto.tgetval pto.thistogram pto.threadfence
syn keyword ptoInstruction pto.threadfence_block pto.tile_buf_addr pto.tile_valid_cols pto.tile_valid_rows
syn keyword ptoInstruction pto.timg2col pto.tinsert pto.tinsert_fp pto.tinterleave pto.tload pto.tlog
syn keyword ptoInstruction pto.tlrelu pto.tmatmul pto.tmatmul.acc pto.tmatmul.bias pto.tmatmul.mx
syn keyword ptoInstruction pto.tmatmul.mx.acc pto.tmatmul.mx.bias pto.tmatmul_acc pto.tmatmul_bias
syn keyword ptoInstruction pto.tmatmul_mx pto.tmatmul_mx_acc pto.tmatmul_mx_bias pto.tmax pto.tmaxs pto.tmin
syn keyword ptoInstruction pto.tmins pto.tmov pto.tmov.a2v pto.tmov.fp pto.tmov.m2b pto.tmov.m2l pto.tmov.m2r
syn keyword ptoInstruction pto.tmov.m2s pto.tmov.s2d pto.tmov.v2v pto.tmrgsort pto.tmul pto.tmuls pto.tneg
syn keyword ptoInstruction pto.tnot pto.tnotify pto.tor pto.tors pto.tpack pto.tpairreducesum pto.tpartadd
syn keyword ptoInstruction pto.tpartargmax pto.tpartargmin pto.tpartmax pto.tpartmin pto.tpartmul pto.tpop
syn keyword ptoInstruction pto.tpop_from_aic pto.tpop_from_aiv pto.tpow pto.tpows pto.tprefetch
syn keyword ptoInstruction pto.tprefetch_async pto.tprelu pto.tprint pto.tpush pto.tpush_to_aic
syn keyword ptoInstruction pto.tpush_to_aiv pto.tput pto.tquant pto.tquant.mx pto.trandom pto.trap pto.trecip
syn keyword ptoInstruction pto.trelu pto.trem pto.trems pto.treshape pto.trowargmax pto.trowargmin
syn keyword ptoInstruction pto.trowexpand pto.trowexpandadd pto.trowexpanddiv pto.trowexpandexpdif
syn keyword ptoInstruction pto.trowexpandmax pto.trowexpandmin pto.trowexpandmul pto.trowexpandsub
syn keyword ptoInstruction pto.trowmax pto.trowmin pto.trowprod pto.trowsum pto.trsqrt pto.tscatter pto.tsel
syn keyword ptoInstruction pto.tsels pto.tset_img2col_padding pto.tset_img2col_rpt pto.tsetfmatrix
syn keyword ptoInstruction pto.tsethf32mode pto.tsettf32mode pto.tsetval pto.tshl pto.tshls pto.tshr
syn keyword ptoInstruction pto.tshrs pto.tsort32 pto.tsqrt pto.tstore pto.tstore.fp pto.tstore_fp pto.tsub
syn keyword ptoInstruction pto.tsubc pto.tsubs pto.tsubsc pto.tsubview pto.tsync pto.tsync.op pto.ttest
syn keyword ptoInstruction pto.ttrans pto.ttri pto.twait pto.txor pto.txors pto.ub.set_mask
syn keyword ptoInstruction pto.ub.set_mask_count pto.ub.set_mask_norm pto.ub.vabs pto.ub.vadd pto.ub.vaddrelu
syn keyword ptoInstruction pto.ub.vadds pto.ub.vand pto.ub.vdiv pto.ub.vdup pto.ub.vexp pto.ub.vln
syn keyword ptoInstruction pto.ub.vmax pto.ub.vmaxs pto.ub.vmin pto.ub.vmins pto.ub.vmul pto.ub.vmuls
syn keyword ptoInstruction pto.ub.vnot pto.ub.vor pto.ub.vrelu pto.ub.vrsqrt pto.ub.vshl pto.ub.vshr
syn keyword ptoInstruction pto.ub.vsqrt pto.ub.vsub pto.uvld pto.vabs pto.vadd pto.vaddc pto.vaddcs
syn keyword ptoInstruction pto.vaddreluconv pto.vadds pto.vand pto.vaxpy pto.vbitcast pto.vbitsort pto.vbr
syn keyword ptoInstruction pto.vcadd pto.vcbmax pto.vcbmin pto.vcgadd pto.vcgmax pto.vcgmin pto.vci pto.vcmax
syn keyword ptoInstruction pto.vcmin pto.vcmp pto.vcmps pto.vcpadd pto.vcvt pto.vdintlv pto.vdintlvv2
syn keyword ptoInstruction pto.vdiv pto.vdup pto.vecscope pto.vexp pto.vexpdif pto.vgather2 pto.vgather2_bc
syn keyword ptoInstruction pto.vgatherb pto.vintlv pto.vintlvv2 pto.vldas pto.vlds pto.vldsx2 pto.vldus
syn keyword ptoInstruction pto.vln pto.vlrelu pto.vmadd pto.vmax pto.vmaxs pto.vmi.absf pto.vmi.absi
syn keyword ptoInstruction pto.vmi.active_prefix_index pto.vmi.addf pto.vmi.addi pto.vmi.andi pto.vmi.bitcast
syn keyword ptoInstruction pto.vmi.broadcast pto.vmi.channel_merge pto.vmi.channel_split pto.vmi.cmpf
syn keyword ptoInstruction pto.vmi.cmpi pto.vmi.compress pto.vmi.compress_store pto.vmi.constant
syn keyword ptoInstruction pto.vmi.constant_mask pto.vmi.create_group_mask pto.vmi.create_mask
syn keyword ptoInstruction pto.vmi.deinterleave_load pto.vmi.divf pto.vmi.ensure_layout
syn keyword ptoInstruction pto.vmi.ensure_mask_granularity pto.vmi.ensure_mask_layout pto.vmi.exp
syn keyword ptoInstruction pto.vmi.expand_load pto.vmi.extf pto.vmi.extsi pto.vmi.extui pto.vmi.fma
syn keyword ptoInstruction pto.vmi.fptosi pto.vmi.fptoui pto.vmi.gather pto.vmi.group_broadcast
syn keyword ptoInstruction pto.vmi.group_broadcast_load pto.vmi.group_iota pto.vmi.group_load
syn keyword ptoInstruction pto.vmi.group_reduce_addf pto.vmi.group_reduce_addi pto.vmi.group_reduce_maxf
syn keyword ptoInstruction pto.vmi.group_reduce_maxi pto.vmi.group_reduce_minf pto.vmi.group_reduce_mini
syn keyword ptoInstruction pto.vmi.group_slot_load pto.vmi.group_store pto.vmi.interleave_store pto.vmi.iota
syn keyword ptoInstruction pto.vmi.ln pto.vmi.load pto.vmi.mask_and pto.vmi.mask_not pto.vmi.mask_or
syn keyword ptoInstruction pto.vmi.mask_xor pto.vmi.masked_load pto.vmi.masked_store pto.vmi.maxf
syn keyword ptoInstruction pto.vmi.maxi pto.vmi.minf pto.vmi.mini pto.vmi.mulf pto.vmi.muli pto.vmi.negf
syn keyword ptoInstruction pto.vmi.negi pto.vmi.not pto.vmi.ori pto.vmi.pge pto.vmi.plt pto.vmi.pset
syn keyword ptoInstruction pto.vmi.reduce_addf pto.vmi.reduce_addi pto.vmi.reduce_maxf pto.vmi.reduce_maxi
syn keyword ptoInstruction pto.vmi.reduce_minf pto.vmi.reduce_mini pto.vmi.relu pto.vmi.scatter
syn keyword ptoInstruction pto.vmi.select pto.vmi.shli pto.vmi.shrsi pto.vmi.shrui pto.vmi.shuffle
syn keyword ptoInstruction pto.vmi.sitofp pto.vmi.sqrt pto.vmi.store pto.vmi.stride_load pto.vmi.stride_store
syn keyword ptoInstruction pto.vmi.subf pto.vmi.subi pto.vmi.truncf pto.vmi.trunci pto.vmi.vabs pto.vmi.vadd
syn keyword ptoInstruction pto.vmi.vaddc pto.vmi.vaddcs pto.vmi.vadds pto.vmi.vand pto.vmi.vaxpy pto.vmi.vbrc
syn keyword ptoInstruction pto.vmi.vcadd pto.vmi.vchist pto.vmi.vci pto.vmi.vcmax pto.vmi.vcmin pto.vmi.vcmp
syn keyword ptoInstruction pto.vmi.vcmps pto.vmi.vcvt pto.vmi.vdhist pto.vmi.vdintlv pto.vmi.vdiv
syn keyword ptoInstruction pto.vmi.vexp pto.vmi.vexpdif pto.vmi.vgather pto.vmi.vgatherb
syn keyword ptoInstruction pto.vmi.vinterpret_cast pto.vmi.vintlv pto.vmi.vln pto.vmi.vload pto.vmi.vlrelu
syn keyword ptoInstruction pto.vmi.vmax pto.vmi.vmaxs pto.vmi.vmin pto.vmi.vmins pto.vmi.vmul pto.vmi.vmula
syn keyword ptoInstruction pto.vmi.vmull pto.vmi.vmuls pto.vmi.vneg pto.vmi.vnot pto.vmi.vor pto.vmi.vprelu
syn keyword ptoInstruction pto.vmi.vrelu pto.vmi.vscatter pto.vmi.vsel pto.vmi.vselr pto.vmi.vshl
syn keyword ptoInstruction pto.vmi.vshls pto.vmi.vshr pto.vmi.vshrs pto.vmi.vsqrt pto.vmi.vsstb
syn keyword ptoInstruction pto.vmi.vstore pto.vmi.vsub pto.vmi.vxor pto.vmi.xori pto.vmin pto.vmins
syn keyword ptoInstruction pto.vmrgsort4 pto.vmul pto.vmula pto.vmulconv pto.vmull pto.vmuls pto.vmulscvt
syn keyword ptoInstruction pto.vneg pto.vnot pto.vor pto.vote_all pto.vote_any pto.vote_ballot pto.vote_uni
syn keyword ptoInstruction pto.vpack pto.vprelu pto.vrelu pto.vscatter pto.vsel pto.vselr pto.vselrv2
syn keyword ptoInstruction pto.vshl pto.vshls pto.vshr pto.vshrs pto.vsldb pto.vsqrt pto.vsqz pto.vsstb
syn keyword ptoInstruction pto.vstar pto.vstas pto.vsts pto.vstsx2 pto.vstur pto.vstus pto.vsub pto.vsubc
syn keyword ptoInstruction pto.vsubcs pto.vsunpack pto.vtrc pto.vusqz pto.vxor pto.vzunpack
syn keyword ptoInstruction pto.wait_cross_block pto.wait_event pto.wait_flag pto.wait_flag_dev
syn keyword ptoInstruction pto.wait_flag_dyn pto.wait_intra_block pto.wait_intra_core scf.condition
syn keyword ptoInstruction scf.execute_region scf.for scf.if scf.index_switch scf.while scf.yield
syn keyword ptoShort contained SETFMATRIX absf addptr aic_initialize_pipe aiv_initialize_pipe alloc_multi_tile
syn keyword ptoShort contained alloc_tile atomic_add atomic_and atomic_cas atomic_exch atomic_max atomic_min
syn keyword ptoShort contained atomic_or atomic_sub atomic_xor barrier barrier_sync bitcast castptr ceil
syn keyword ptoShort contained chistv2 cmo.cacheinvalid comm.build_async_session comm.tbroadcast
syn keyword ptoShort contained comm.test_async_event comm.tgather comm.tget comm.tget_async comm.tnotify
syn keyword ptoShort contained comm.tput comm.tput_async comm.treduce comm.tscatter comm.ttest comm.twait
syn keyword ptoShort contained comm.wait_async_event convert copy_cbuf_to_bt copy_cbuf_to_fbuf
syn keyword ptoShort contained copy_cbuf_to_ubuf copy_gm_to_cbuf copy_gm_to_cbuf_multi_dn2nz
syn keyword ptoShort contained copy_gm_to_cbuf_multi_nd2nz copy_gm_to_ubuf copy_matrix_cc_to_cbuf
syn keyword ptoShort contained copy_matrix_cc_to_gm copy_matrix_cc_to_ub copy_ubuf_to_cbuf copy_ubuf_to_gm
syn keyword ptoShort contained copy_ubuf_to_ubuf cos create_cbuf_matrix dcci declare_eventid_array
syn keyword ptoShort contained declare_global declare_local_array declare_struct declare_tile dhistv2 dsb
syn keyword ptoShort contained eventid_array_get eventid_array_set exp fence.barrier_all floor fma fmax fmin
syn keyword ptoShort contained get_block_dim_x get_block_dim_y get_block_dim_z get_block_idx get_block_idx_x
syn keyword ptoShort contained get_block_idx_y get_block_idx_z get_block_num get_buf get_buf_dyn get_clock32
syn keyword ptoShort contained get_clock64 get_ctrl get_grid_dim_x get_grid_dim_y get_grid_dim_z get_laneid
syn keyword ptoShort contained get_lanemask_eq get_lanemask_ge get_lanemask_gt get_lanemask_le
syn keyword ptoShort contained get_lanemask_lt get_prefetch_async_session get_scale_addr get_subblock_idx
syn keyword ptoShort contained get_subblock_num get_tensor_view_dim get_tensor_view_stride get_tid_x
syn keyword ptoShort contained get_tid_y get_tid_z get_validshape get_veccoreid get_vms4_sr
syn keyword ptoShort contained import_reserved_buffer init_align initialize_l2g2l_pipe initialize_l2l_pipe
syn keyword ptoShort contained inttoptr keep ld_dev ldg load load_cbuf_to_ca load_cbuf_to_ca_mx
syn keyword ptoShort contained load_cbuf_to_ca_s4 load_cbuf_to_cb load_cbuf_to_cb_mx load_cbuf_to_cb_s4
syn keyword ptoShort contained load_scalar local_array_get local_array_set log mad mad_acc mad_bias
syn keyword ptoShort contained mad_bias_raw mad_mx mad_mx_acc mad_mx_bias mad_mx_bias_raw mad_mx_raw mad_raw
syn keyword ptoShort contained make_prefetch_async_context make_tensor_view mem_bar mgather mscatter
syn keyword ptoShort contained mte_gm_l1 mte_gm_l1_frac mte_gm_ub mte_l0c_gm mte_l0c_l1 mte_l0c_ub mte_l1_bt
syn keyword ptoShort contained mte_l1_fb mte_l1_l0a mte_l1_l0a_mx mte_l1_l0b mte_l1_l0b_mx mte_l1_ub
syn keyword ptoShort contained mte_ub_gm mte_ub_l1 mte_ub_ub mul_i32toi64 mulhi multi_tile_get pand
syn keyword ptoShort contained partition_view pbitcast pdintlv_b16 pdintlv_b32 pdintlv_b8 pge_b16 pge_b32
syn keyword ptoShort contained pge_b8 pintlv_b16 pintlv_b32 pintlv_b8 pipe_barrier pldi plds plt_b16 plt_b32
syn keyword ptoShort contained plt_b8 pltm_b16 pltm_b32 pltm_b8 pnot por pow ppack print prmt psel pset_b16
syn keyword ptoShort contained pset_b32 pset_b8 psti psts pstu ptrtoint punpack pxor raw_fill_l1 record_event
syn keyword ptoShort contained redux_add redux_max redux_min reserve_buffer resume rint rls_buf rls_buf_dyn
syn keyword ptoShort contained round sbitset0 sbitset1 section.cube section.simt section.vector
syn keyword ptoShort contained set_atomic_add set_atomic_bf16 set_atomic_f16 set_atomic_f32 set_atomic_max
syn keyword ptoShort contained set_atomic_min set_atomic_none set_atomic_s16 set_atomic_s32 set_atomic_s8
syn keyword ptoShort contained set_channel_para set_cross_block set_cross_core set_ctrl set_ffts
syn keyword ptoShort contained set_fix_clip_relu set_flag set_flag_dyn set_fpc set_img2col_padding
syn keyword ptoShort contained set_img2col_rpt set_intra_block set_loop1_stride_outtol1
syn keyword ptoShort contained set_loop1_stride_outtoub set_loop1_stride_ubtoout set_loop2_stride_outtol1
syn keyword ptoShort contained set_loop2_stride_outtoub set_loop2_stride_ubtoout set_loop3_para
syn keyword ptoShort contained set_loop_size_outtol1 set_loop_size_outtoub set_loop_size_ubtoout
syn keyword ptoShort contained set_mov_pad_val set_mte2_nz_para set_pad_val_outtol1 set_quant_pre
syn keyword ptoShort contained set_quant_scalar set_quant_vector set_relu_alpha set_store_atomic_cfg
syn keyword ptoShort contained set_validshape setfmatrix sethf32mode settf32mode shuffle_bfly shuffle_down
syn keyword ptoShort contained shuffle_idx shuffle_up simt_launch sin sprclr sprsti sprsts sqrt st_dev stg
syn keyword ptoShort contained store store_scalar store_vfsimt_info strict_vecscope struct_get struct_set
syn keyword ptoShort contained subset subview sync.set sync.wait syncall syncthreads tabs tadd taddc taddrelu
syn keyword ptoShort contained tadds taddsc talias talloc talloc_to_aic talloc_to_aiv tand tands tassign
syn keyword ptoShort contained taxpy tci tcmp tcmps tcolargmax tcolargmin tcolexpand tcolexpandadd
syn keyword ptoShort contained tcolexpanddiv tcolexpandexpdif tcolexpandmax tcolexpandmin tcolexpandmul
syn keyword ptoShort contained tcolexpandsub tcolmax tcolmin tcolprod tcolsum tconcat tconcatidx tcvt
syn keyword ptoShort contained tdeinterleave tdequant tdiv tdivs tensor_view_addr texp texpands textract
syn keyword ptoShort contained textract_fp tfillpad tfillpad_expand tfillpad_inplace tfmod tfmods tfree
syn keyword ptoShort contained tfree_from_aic tfree_from_aiv tgather tgatherb tgemv tgemv.acc tgemv.bias
syn keyword ptoShort contained tgemv.mx tgemv.mx.acc tgemv.mx.bias tgemv_acc tgemv_bias tgemv_mx tgemv_mx_acc
syn keyword ptoShort contained tgemv_mx_bias tget tget_scale_addr tgetval thistogram threadfence
syn keyword ptoShort contained threadfence_block tile_buf_addr tile_valid_cols tile_valid_rows timg2col
syn keyword ptoShort contained tinsert tinsert_fp tinterleave tload tlog tlrelu tmatmul tmatmul.acc
syn keyword ptoShort contained tmatmul.bias tmatmul.mx tmatmul.mx.acc tmatmul.mx.bias tmatmul_acc
syn keyword ptoShort contained tmatmul_bias tmatmul_mx tmatmul_mx_acc tmatmul_mx_bias tmax tmaxs tmin tmins
syn keyword ptoShort contained tmov tmov.a2v tmov.fp tmov.m2b tmov.m2l tmov.m2r tmov.m2s tmov.s2d tmov.v2v
syn keyword ptoShort contained tmrgsort tmul tmuls tneg tnot tnotify tor tors tpack tpairreducesum tpartadd
syn keyword ptoShort contained tpartargmax tpartargmin tpartmax tpartmin tpartmul tpop tpop_from_aic
syn keyword ptoShort contained tpop_from_aiv tpow tpows tprefetch tprefetch_async tprelu tprint tpush
syn keyword ptoShort contained tpush_to_aic tpush_to_aiv tput tquant tquant.mx trandom trap trecip trelu trem
syn keyword ptoShort contained trems treshape trowargmax trowargmin trowexpand trowexpandadd trowexpanddiv
syn keyword ptoShort contained trowexpandexpdif trowexpandmax trowexpandmin trowexpandmul trowexpandsub
syn keyword ptoShort contained trowmax trowmin trowprod trowsum trsqrt tscatter tsel tsels
syn keyword ptoShort contained tset_img2col_padding tset_img2col_rpt tsetfmatrix tsethf32mode tsettf32mode
syn keyword ptoShort contained tsetval tshl tshls tshr tshrs tsort32 tsqrt tstore tstore.fp tstore_fp tsub
syn keyword ptoShort contained tsubc tsubs tsubsc tsubview tsync tsync.op ttest ttrans ttri twait txor txors
syn keyword ptoShort contained ub.set_mask ub.set_mask_count ub.set_mask_norm ub.vabs ub.vadd ub.vaddrelu
syn keyword ptoShort contained ub.vadds ub.vand ub.vdiv ub.vdup ub.vexp ub.vln ub.vmax ub.vmaxs ub.vmin
syn keyword ptoShort contained ub.vmins ub.vmul ub.vmuls ub.vnot ub.vor ub.vrelu ub.vrsqrt ub.vshl ub.vshr
syn keyword ptoShort contained ub.vsqrt ub.vsub uvld vabs vadd vaddc vaddcs vaddreluconv vadds vand vaxpy
syn keyword ptoShort contained vbitcast vbitsort vbr vcadd vcbmax vcbmin vcgadd vcgmax vcgmin vci vcmax vcmin
syn keyword ptoShort contained vcmp vcmps vcpadd vcvt vdintlv vdintlvv2 vdiv vdup vecscope vexp vexpdif
syn keyword ptoShort contained vgather2 vgather2_bc vgatherb vintlv vintlvv2 vldas vlds vldsx2 vldus vln
syn keyword ptoShort contained vlrelu vmadd vmax vmaxs vmi.absf vmi.absi vmi.active_prefix_index vmi.addf
syn keyword ptoShort contained vmi.addi vmi.andi vmi.bitcast vmi.broadcast vmi.channel_merge
syn keyword ptoShort contained vmi.channel_split vmi.cmpf vmi.cmpi vmi.compress vmi.compress_store
syn keyword ptoShort contained vmi.constant vmi.constant_mask vmi.create_group_mask vmi.create_mask
syn keyword ptoShort contained vmi.deinterleave_load vmi.divf vmi.ensure_layout vmi.ensure_mask_granularity
syn keyword ptoShort contained vmi.ensure_mask_layout vmi.exp vmi.expand_load vmi.extf vmi.extsi vmi.extui
syn keyword ptoShort contained vmi.fma vmi.fptosi vmi.fptoui vmi.gather vmi.group_broadcast
syn keyword ptoShort contained vmi.group_broadcast_load vmi.group_iota vmi.group_load vmi.group_reduce_addf
syn keyword ptoShort contained vmi.group_reduce_addi vmi.group_reduce_maxf vmi.group_reduce_maxi
syn keyword ptoShort contained vmi.group_reduce_minf vmi.group_reduce_mini vmi.group_slot_load
syn keyword ptoShort contained vmi.group_store vmi.interleave_store vmi.iota vmi.ln vmi.load vmi.mask_and
syn keyword ptoShort contained vmi.mask_not vmi.mask_or vmi.mask_xor vmi.masked_load vmi.masked_store
syn keyword ptoShort contained vmi.maxf vmi.maxi vmi.minf vmi.mini vmi.mulf vmi.muli vmi.negf vmi.negi
syn keyword ptoShort contained vmi.not vmi.ori vmi.pge vmi.plt vmi.pset vmi.reduce_addf vmi.reduce_addi
syn keyword ptoShort contained vmi.reduce_maxf vmi.reduce_maxi vmi.reduce_minf vmi.reduce_mini vmi.relu
syn keyword ptoShort contained vmi.scatter vmi.select vmi.shli vmi.shrsi vmi.shrui vmi.shuffle vmi.sitofp
syn keyword ptoShort contained vmi.sqrt vmi.store vmi.stride_load vmi.stride_store vmi.subf vmi.subi
syn keyword ptoShort contained vmi.truncf vmi.trunci vmi.vabs vmi.vadd vmi.vaddc vmi.vaddcs vmi.vadds
syn keyword ptoShort contained vmi.vand vmi.vaxpy vmi.vbrc vmi.vcadd vmi.vchist vmi.vci vmi.vcmax vmi.vcmin
syn keyword ptoShort contained vmi.vcmp vmi.vcmps vmi.vcvt vmi.vdhist vmi.vdintlv vmi.vdiv vmi.vexp
syn keyword ptoShort contained vmi.vexpdif vmi.vgather vmi.vgatherb vmi.vinterpret_cast vmi.vintlv vmi.vln
syn keyword ptoShort contained vmi.vload vmi.vlrelu vmi.vmax vmi.vmaxs vmi.vmin vmi.vmins vmi.vmul vmi.vmula
syn keyword ptoShort contained vmi.vmull vmi.vmuls vmi.vneg vmi.vnot vmi.vor vmi.vprelu vmi.vrelu
syn keyword ptoShort contained vmi.vscatter vmi.vsel vmi.vselr vmi.vshl vmi.vshls vmi.vshr vmi.vshrs
syn keyword ptoShort contained vmi.vsqrt vmi.vsstb vmi.vstore vmi.vsub vmi.vxor vmi.xori vmin vmins vmrgsort4
syn keyword ptoShort contained vmul vmula vmulconv vmull vmuls vmulscvt vneg vnot vor vote_all vote_any
syn keyword ptoShort contained vote_ballot vote_uni vpack vprelu vrelu vscatter vsel vselr vselrv2 vshl vshls
syn keyword ptoShort contained vshr vshrs vsldb vsqrt vsqz vsstb vstar vstas vsts vstsx2 vstur vstus vsub
syn keyword ptoShort contained vsubc vsubcs vsunpack vtrc vusqz vxor vzunpack wait_cross_block wait_event
syn keyword ptoShort contained wait_flag wait_flag_dev wait_flag_dyn wait_intra_block wait_intra_core
syn keyword ptoClause addr aiv_subblockid all atomic attributes buf case clip core_type ctrl default
syn keyword ptoClause disable_gemv do dst_group dst_mode else fastmath fp gm_slot_buffer gm_slot_tensor group
syn keyword ptoClause init_condition ins iter_args left_padding_num loop mode n_dir nburst nested no_tmp
syn keyword ptoClause nosat offsets op outs overflow pad pad_value pre_quant pre_relu preserve_nan private
syn keyword ptoClause public recv right_padding_num round sat shape single_cache_line sizes src_layout step
syn keyword ptoClause strides to type unit_flag valid valid_col valid_row
syn keyword ptoElement bf16 f16 f32 f64 f8E4M3 f8E4M3B11FNUZ f8E4M3FN f8E4M3FNUZ f8E5M2 f8E5M2FNUZ i1 i16 i32
syn keyword ptoElement i64 i8 index si16 si32 si64 si8 tf32 ui16 ui32 ui64 ui8
syn keyword ptoKey contained accPhase accToVecMode acc_push_epilogue atomicType atomic_op atomic_type auto
syn keyword ptoKey contained axis base block_bytes buf_id byte cache callee case_values channel_group_idx cmp
syn keyword ptoKey contained cmpMode cmp_mode coalesce comm_block_offset core_type descending diagonal dims
syn keyword ptoKey contained dir_mask disable_gemv dist dist_mode dst dst_mode dst_op dst_pipe elem_type
syn keyword ptoKey contained enable event_id exhausted fastmath ffts_mode fill_word_bits flag_base format
syn keyword ptoKey contained gatherOob group group_size grpAxis id indices init_out_buffer interleave
syn keyword ptoKey contained isBinary isMSB kind l1cache l2cache layout local_slot_num location maskPattern
syn keyword ptoKey contained mem mode msg n_dir name nosplit notifyOp num_groups offset op op_type order
syn keyword ptoKey contained overflowFlags padValue pad_mode part path pattern peer_func pipe pmode position
syn keyword ptoKey contained pre_quant_mode pre_relu_mode precisionType predicate printFormat quantScaleAlg
syn keyword ptoKey contained quant_type queue_num reassoc reduceOp reluPreMode rmode rnd root round_mode
syn keyword ptoKey contained rounding roundingmode rounds sat sat_mode satmode saturate saturation
syn keyword ptoKey contained scatterAtomicOp scatterConflict scatterOob scope signedness size sizes slot
syn keyword ptoKey contained slot_num slot_size space split spr src_op src_pipe stPhase storeMode sync_id
syn keyword ptoKey contained tf32_mode tile_addr tinsertMode transpose unit_flag upperOrLower value width
syn keyword ptoFamily contained acc_phase acc_to_vec_mode address_space atomic_type blayout cmp cmpf_predicate
syn keyword ptoFamily contained cmpi_predicate coalesce compact_mode cube_saturation cube_tf32 cube_unit_flag
syn keyword ptoFamily contained dcci_cache_line dcci_dst div_precision dsb_mem event exp_precision
syn keyword ptoFamily contained fence_scope fix_atomic_op fix_atomic_type fix_layout fix_quant fix_relu
syn keyword ptoFamily contained fix_saturation fix_split fix_unit_flag float_rounding fmod_precision
syn keyword ptoFamily contained fractal_load func_core_type gather_oob half kernel_kind l1cache
syn keyword ptoFamily contained lane_comparison lane_order lane_parity lane_part lane_pmode lane_rounding
syn keyword ptoFamily contained lane_saturation layout ld_l2cache load2_dist load_dist log_precision
syn keyword ptoFamily contained logical_comparison logical_dist logical_int_comparison logical_rounding
syn keyword ptoFamily contained mask_pattern membar module_core_type mx_group_axis notify_op pad_value
syn keyword ptoFamily contained padmode pattern pipe pipe_event_type position post_update pow_precision
syn keyword ptoFamily contained precision_mode pred_load_dist pred_store_dist print_format quant_scale_alg
syn keyword ptoFamily contained quant_type recip_precision reduce_op relu_pre_mode rem_precision round_mode
syn keyword ptoFamily contained rounding rsqrt_precision saturation saturation_mode scatter_atomic_op
syn keyword ptoFamily contained scatter_conflict scatter_oob signedness slayout spr sqrt_precision st_l2cache
syn keyword ptoFamily contained st_phase store2_dist store_dist sync_all_mode sync_core_type sync_op_type
syn keyword ptoFamily contained tinsert_mode vec_store_mode wait_cmp
syn keyword ptoWord contained 1PT_B16 1PT_B32 1PT_B8 A AIC AIC_OR_AIV AIV ALL AR ASC BDINTLV BRC_B16 BRC_B32
syn keyword ptoWord contained BRC_B8 BRC_BLK C CACHELINE_ALL CACHELINE_ATOMIC CACHELINE_OUT CACHELINE_UB
syn keyword ptoWord contained CAST_RINT CEIL DDR DESC DINTLV_B16 DINTLV_B32 DINTLV_B8 DS DS_B16 DS_B8 E2B_B16
syn keyword ptoWord contained E2B_B32 ENTIRE_DATA_CACHE EVEN EVENT_ID0 EVENT_ID1 EVENT_ID2 EVENT_ID3
syn keyword ptoWord contained EVENT_ID4 EVENT_ID5 EVENT_ID6 EVENT_ID7 F FLOOR H HIGHER HIGHEST INT8_ASYM
syn keyword ptoWord contained INT8_SYM INTLV_B16 INTLV_B32 INTLV_B8 LD_ST LD_VST LOWER LOWEST MIX MRG2CHN_B16
syn keyword ptoWord contained MRG2CHN_B8 MRG4CHN_B8 MXFP4_E2M1 MXFP8 NONE NORM NORM_B16 NORM_B32 NORM_B8
syn keyword ptoWord contained NOSAT NO_POST_UPDATE O ODD OFF ON P0 P0001 P0010 P0100 P0101 P1 P1000 P1010
syn keyword ptoWord contained P1111 P2 P3 PART_EVEN PART_ODD PART_P0 PART_P1 PART_P2 PART_P3 PAT_ALL PAT_ALLF
syn keyword ptoWord contained PAT_H PAT_M3 PAT_M4 PAT_Q PAT_VL1 PAT_VL128 PAT_VL16 PAT_VL2 PAT_VL3 PAT_VL32
syn keyword ptoWord contained PAT_VL4 PAT_VL64 PAT_VL8 PIPE_ALL PIPE_FIX PIPE_M PIPE_MTE1 PIPE_MTE2 PIPE_MTE3
syn keyword ptoWord contained PIPE_MTE4 PIPE_MTE5 PIPE_NUM PIPE_S PIPE_UNASSIGNED PIPE_V PIPE_V2 PK PK4_B32
syn keyword ptoWord contained PK_B16 PK_B32 PK_B64 POST_UPDATE PadFirstElem PadNull PadValue R RINT RM RN
syn keyword ptoWord contained ROUND ROUND_A ROUND_C ROUND_F ROUND_H ROUND_O ROUND_R ROUND_Z RP RS_DISABLE
syn keyword ptoWord contained RS_ENABLE RZ SAT SEQ SINGLE_CACHE_LINE SPLT2CHN_B16 SPLT2CHN_B8 SPLT4CHN SS_ALL
syn keyword ptoWord contained ST_LD ST_ST ST_VLD ST_VST SV_ALL TLOAD TMATMUL TMOV_M2B TMOV_M2L TMOV_M2S
syn keyword ptoWord contained TMOV_M2V TMOV_V2M TRUNC TSTORE_ACC TSTORE_VEC TVEC TVECWAIT_EVENT UB UNPK4
syn keyword ptoWord contained UNPK_B16 UNPK_B32 UNPK_B8 US US_B16 US_B8 VIRTUAL_PIPE_MTE2_L1A
syn keyword ptoWord contained VIRTUAL_PIPE_MTE2_L1B VLD_ST VLD_VST VST_LD VST_ST VST_VLD VST_VST VS_ALL
syn keyword ptoWord contained VV_ALL Z a acc add aic_only aiv_only all atomic_add atomic_none axis0 axis1
syn keyword ptoWord contained bias brc c cache check_and_clear check_and_set check_only clamp col_major
syn keyword ptoWord contained continuous cube default deqf16_scalar deqf16_vec deqs16_scalar deqs16_vec
syn keyword ptoWord contained deqs32_int_scalar deqs32_int_vec dintlv dn dn2nz downward dual_mode_split_m
syn keyword ptoWord contained dual_mode_split_n elem eq exfv exlv expref exprs f f32_bf16 f32_f16 false final
syn keyword ptoWord contained ge gm gt h hard high_precision idsfv idslv idspref idsprs intlv last le left
syn keyword ptoWord contained local_memory lt mat max merge merging min mix mx_a_zz mx_b_nn naci naclean
syn keyword ptoWord contained nadrop nakeep napi napw nared nd nd2nz ne nmfv nmlv nmpref nmprs nmred
syn keyword ptoWord contained no_convert no_relu none none_box normal normal_relu nosat null nv nz nz2dn
syn keyword ptoWord contained nz2nd nz2nz o ocp oeq oge ogt ole olt one ord partial preserve_nan pwl
syn keyword ptoWord contained qf162b8_pre_scalar qf162b8_pre_vec qf162s16_pre_scalar qf162s16_pre_vec
syn keyword ptoWord contained qf162s4_pre_scalar qf162s4_pre_vec qf322b8_pre_scalar qf322b8_pre_vec
syn keyword ptoWord contained qf322bf16_pre_scalar qf322bf16_pre_vec qf322f16_pre_scalar qf322f16_pre_vec
syn keyword ptoWord contained qf322f32_pre_scalar qf322f32_pre_vec qf322fp8_pre_scalar qf322fp8_pre_vec
syn keyword ptoWord contained qf322hif8_pre_hybrid_scalar qf322hif8_pre_hybrid_vec qf322hif8_pre_scalar
syn keyword ptoWord contained qf322hif8_pre_vec qf322s4_pre_scalar qf322s4_pre_vec qs322bf16_pre_scalar
syn keyword ptoWord contained qs322bf16_pre_vec r req4_scalar req4_vec req8_scalar req8_vec right round_away
syn keyword ptoWord contained round_even row row_major row_plus_one s16 s32 s8 sat scalar_relu scaling set
syn keyword ptoWord contained sge sgt signed single_mode_vec0 single_mode_vec1 skip sle slt soft split2
syn keyword ptoWord contained split4 split_m split_n sum to_nearest_away to_nearest_even toward_zero true ueq
syn keyword ptoWord contained uge ugt ule ult uncache undefined une uno unpack unsigned unspecified upward
syn keyword ptoWord contained vec vector vector_relu wbhfv wbhlv wbhprs wbhred width10_precision6
syn keyword ptoWord contained width8_precision2 width8_precision4 wrap wtsfv wtslv wtsprs wtsred z zero
syn keyword ptoWord contained zeroing
syn keyword ptoTypeName contained align async_event async_session bf16x2 event eventid_array f4E1M2x2 f4E2M1x2
syn keyword ptoTypeName contained f8E8M0 fmatrix_config global hif8 hif8x2 local_array mask memref
syn keyword ptoTypeName contained multi_tile_buf partition_tensor_view pipe prefetch_async_context ptr struct
syn keyword ptoTypeName contained tensor_view tile tile_buf tile_view vmi.mask vmi.vreg vreg
syn keyword ptoTileKey contained blayout cols compact count dtype fractal loc pad rows slayout v_col v_row
syn keyword ptoTileKey contained valid
syn keyword ptoSpace contained acc bias gm left mat right scaling vec
syn match ptoPacked /\%(ui8\|ui64\|ui32\|ui16\|tf32\|si8\|si64\|si32\|si16\|index\|i8\|i64\|i32\|i16\|i1\|f8E5M2FNUZ\|f8E5M2\|f8E4M3FNUZ\|f8E4M3FN\|f8E4M3B11FNUZ\|f8E4M3\|f64\|f32\|f16\|bf16\)\>/ contained
syn keyword ptoBoolean true false unit

" the name of a PTO-AS statement
syn match ptoStart /^\s*\zs[a-z][a-z0-9_.]*/ contains=ptoShort,ptoInstruction,ptoClause
syn match ptoStart /\%(^\s*%[^=]*=\s*\)\@<=[a-z][a-z0-9_.]*/ contains=ptoShort,ptoInstruction
syn match ptoValue /%[A-Za-z0-9_$.-]\+\%(#\d\+\)\?/
syn match ptoFunction /@\%([A-Za-z0-9_$.-]\+\|"[^"]*"\)/
syn match ptoLabel /\^[A-Za-z0-9_$.-]\+/
syn match ptoNumber /\%([A-Za-z0-9_$.%#@]\)\@<!-\?\%(0x\x\+\|\d\+\%(\.\d*\)\?\%([eE][+-]\?\d\+\)\?\)/
syn match ptoExtent /\%(\d\|?\)\+x\%(\%(\d\|?\)\+x\)*/ contained nextgroup=ptoPacked
syn match ptoKeyName /[{,]\s*\zs[a-z_.]\+\ze\s*[=,}]/ contains=ptoKey
syn match ptoAlias /![A-Za-z0-9_$.-]\+/
syn match ptoType /!pto\.[A-Za-z0-9_$.-]\+/
syn region ptoTileType matchgroup=ptoType start=/!\?\<pto\.[a-z_0-9A-Z]\+</ end=/>/ oneline contains=ptoTileKey,ptoSpace,ptoWord,ptoElement,ptoExtent,ptoNumber,ptoType,ptoAlias,ptoTileType
syn match ptoAttribute /#[A-Za-z0-9_$.-]\+/
syn region ptoEnum matchgroup=ptoAttribute start=/#pto\%(\.[a-z_]\+\)\?</ end=/>/ oneline contains=ptoFamily,ptoWord
syn region ptoString start=/"/ skip=/\\./ end=/"/ oneline contains=ptoInstruction
syn match ptoComment /\/\/.*$/ contains=ptoTodo
syn match ptoComment /#\ze\%(\s\|$\).*$/ contains=ptoTodo
syn match ptoComment /#\%(\s.*\)\?$/ contains=ptoTodo
syn match ptoComment /;.*$/ contains=ptoTodo
syn keyword ptoTodo contained TODO FIXME

hi def link ptoInstruction Statement
hi def link ptoShort Statement
hi def link ptoClause Keyword
hi def link ptoElement Type
hi def link ptoPacked Type
hi def link ptoType Type
hi def link ptoAlias Type
hi def link ptoAttribute PreProc
hi def link ptoFamily PreProc
hi def link ptoKey Identifier
hi def link ptoTileKey Identifier
hi def link ptoWord Constant
hi def link ptoSpace Constant
hi def link ptoBoolean Boolean
hi def link ptoExtent Number
hi def link ptoNumber Number
hi def link ptoValue Identifier
hi def link ptoFunction Function
hi def link ptoLabel Label
hi def link ptoString String
hi def link ptoComment Comment
hi def link ptoTodo Todo

let b:current_syntax = 'pto'
